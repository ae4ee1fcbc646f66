# Stochastic subgradient descent of the binary SVM, with base R alone: Rscript sgd.R < problem.json
text <- paste(readLines(file("stdin"), warn = FALSE), collapse = "\n")
for (change in list(c("\"([A-Za-z_]+)\" *:", "\\1 ="), c("[[{]", "list("), c("[]}]", ")"),
                    c("\\btrue\\b", "TRUE"), c("\\bfalse\\b", "FALSE"), c("\\bnull\\b", "NA")))
  text <- gsub(change[1], change[2], text)
p <- eval(parse(text = text))

number <- function(v) { # "3/7", "0.1", "0x1.8p-3" or a plain number
  parts <- as.numeric(strsplit(as.character(v), "/")[[1]])
  if (length(parts) == 2) parts[1] / parts[2] else parts
}
or <- function(v, otherwise) if (is.null(v)) otherwise else v
row <- function(v) sprintf("[%s]", paste(sprintf("%.17g", v), collapse = ", "))

descent <- function(p) {
  X <- do.call(rbind, lapply(p$X, function(x) sapply(x, number)))
  classes <- or(p$classes, list(-1, 1))
  y <- sapply(p$y, function(label) if (identical(label, classes[[2]])) 1 else -1)
  C <- number(p$C)
  eta <- sapply(as.list(p$eta), number) # one for all steps, or one a step
  w <- rep(0, ncol(X))
  b <- 0
  trace <- c()
  t <- 0
  for (epoch in seq_len(or(p$epochs, 1))) {
    order <- or(p$order, as.list(seq_along(y) - 1))
    if (is.list(order[[1]])) order <- order[[epoch]]
    for (i in unlist(order) + 1) {
      t <- t + 1
      step <- eta[min(t, length(eta))]
      missed <- y[i] * (sum(w * X[i, ]) + b) < 1
      w <- (1 - step) * w + missed * step * C * y[i] * X[i, ]
      if (or(p$bias, FALSE)) b <- b + missed * step * C * y[i]
      trace <- c(trace, row(if (or(p$bias, FALSE)) c(w, b) else w))
    }
  }
  sprintf("{\"program\": \"sgd.R\", \"trace\": [%s]}", paste(trace, collapse = ", "))
}

speaks <- c("family", "X", "y", "classes", "C", "eta", "epochs", "order", "bias")
unknown <- c(if (p$family != "sgd.binary") p$family, setdiff(names(p), speaks))
cat(if (length(unknown)) sprintf("{\"skip\": \"no %s\"}", unknown[1]) else descent(p), "\n")
