# A problem of the test set in R: by a method written here, and by a solver of ivp. See docs/r.md.
dyn.load("ivp_r.so")

p <- .Call("ivp_r_open", "plei", "")
facts <- .Call("ivp_r_facts", p)
cat(sprintf("plei: %d equations, t from %g to %g\n", facts$n, facts$t0, facts$tend))

# The classical Runge-Kutta method with equal steps.
f <- function(t, y) .Call("ivp_r_f", p, t, y)
steps <- 3000
h <- (facts$tend - facts$t0) / steps
y <- facts$y0
for (k in seq_len(steps)) {
  t <- facts$t0 + (k - 1) * h
  k1 <- f(t, y)
  k2 <- f(t + h / 2, y + h / 2 * k1)
  k3 <- f(t + h / 2, y + h / 2 * k2)
  k4 <- f(t + h, y + h * k3)
  y <- y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
}
cat(sprintf("Runge-Kutta, %d steps: mescd %.2f\n", steps, .Call("ivp_r_digits", p, 1e-6, y)[2]))

s <- .Call("ivp_r_solve", p, "dop853", 1e-6)
cat(sprintf("dop853: %d points, mescd %.2f\n", length(s$t), .Call("ivp_r_digits", p, 1e-6, s$y[, length(s$t)])[2]))

# Wrong use is an error of R.
message <- tryCatch(f(0, y[1:3]), error = conditionMessage)
cat(message, "\n")
message <- tryCatch(.Call("ivp_r_solve", p, "radau6", 1e-6), error = conditionMessage)
cat(strsplit(message, ";")[[1]][1], "\n")
