// Quantiles: the distance from its mean that a value exceeds, to both sides, by chance with a given
// probability, in standard deviations. See quantile.rs.

/** Returns the normal distribution's quantile; `probability` is above 0 and at most 1. */
export function normal(probability: number): number {
  const t = Math.sqrt(-2 * Math.log(probability / 2));
  const above = 2.515517 + 0.802853 * t + 0.010328 * t * t;
  return t - above / (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t * t * t);
}

/** Returns the quantile of Student's t with `freedom` degrees of freedom, at least 1. */
export function student(probability: number, freedom: number): number {
  const z = normal(probability);
  if (freedom > 1e6) return z;
  const stretched = (z * (8 * freedom + 3)) / (8 * freedom + 1);
  return Math.sqrt(freedom * Math.expm1((stretched * stretched) / freedom));
}
