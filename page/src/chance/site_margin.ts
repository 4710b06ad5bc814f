import type { ChanceTerms } from "../data/document";
import type { Site } from "../model/sites";
import { student } from "./quantile";

/**
 * Returns the maximum change of a site's weight by chance alone, in whole units. Chance decides
 * which of its objects are sampled. See SiteChance in survivors.rs.
 */
export function siteMargin(sites: readonly Site[], { confidence, least_ticks }: ChanceTerms): (site: Site) => number {
  const count = sites.filter(({ weights, variance }) => (weights.self + weights.baseSelf) ** 2 >= least_ticks * variance).length;
  const factor = student((1 - confidence) / Math.max(1, count), Infinity);
  return ({ variance }) => Math.floor(factor * Math.sqrt(variance));
}
