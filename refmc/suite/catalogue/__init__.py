"""The catalogue of named mistakes, by topic; each can be made and is recognised."""
