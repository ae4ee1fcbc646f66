# Stochastic subgradient descent of the binary SVM, in base R: refmc run --plain -- Rscript sgd.R
text <- paste(readLines(file("stdin"), warn = FALSE), collapse = "\n")
for (change in list(c("\"([A-Za-z_]+)\" *:", "\\1 ="), c("[[{]", "list("), c("[]}]", ")"),
                    c("\\btrue\\b", "TRUE"), c("\\bfalse\\b", "FALSE"), c("\\bnull\\b", "NA")))
  text <- gsub(change[1], change[2], text)
p <- eval(parse(text = text))

or <- function(v, otherwise) if (is.null(v)) otherwise else v
row <- function(v) sprintf("[%s]", paste(sprintf("%.17g", v), collapse = ", "))

descent <- function(p) {
  X <- do.call(rbind, lapply(p$X, unlist))
  y <- unlist(p$y)
  eta <- unlist(p$eta) # one for all steps, or one a step
  w <- rep(0, ncol(X))
  b <- 0
  trace <- c()
  t <- 0
  for (epoch in seq_len(p$epochs)) {
    order <- or(p$order, as.list(seq_along(y) - 1))
    if (is.list(order[[1]])) order <- order[[epoch]]
    for (i in unlist(order) + 1) {
      t <- t + 1
      step <- eta[min(t, length(eta))]
      missed <- y[i] * (sum(w * X[i, ]) + b) < 1
      w <- (1 - step) * w + missed * step * p$C * y[i] * X[i, ]
      if (p$bias) b <- b + missed * step * p$C * y[i]
      trace <- c(trace, row(if (p$bias) c(w, b) else w))
    }
  }
  sprintf("{\"program\": \"sgd.R\", \"trace\": [%s]}", paste(trace, collapse = ", "))
}

speaks <- c("family", "X", "y", "classes", "C", "eta", "epochs", "order", "bias", "shrink", "at_kink")
unknown <- c(if (p$family != "sgd.binary") p$family, setdiff(names(p), speaks),
             if (!identical(p$shrink, "always")) "other shrinking")
cat(if (length(unknown)) sprintf("{\"skip\": \"no %s\"}", unknown[1]) else descent(p), "\n")
