import type { ChanceTerms } from "../data/document";
import type { Site } from "../model/sites";
import { student } from "./quantile";

/**
 * By how much the weight of each of these sites changes by chance alone, in whole units: which of
 * its objects were sampled. See SiteChance in survivors.rs.
 */
export function siteMargin(sites: readonly Site[], { confidence, least_ticks }: ChanceTerms): (site: Site) => number {
  const count = sites.filter(({ weights, variance }) => (weights.self + weights.baseSelf) ** 2 >= least_ticks * variance).length;
  const factor = student((1 - confidence) / Math.max(1, count), Infinity);
  return ({ variance }) => Math.floor(factor * Math.sqrt(variance));
}
