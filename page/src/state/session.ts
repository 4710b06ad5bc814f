import { Chance } from "../chance/chance";
import { Margins } from "../chance/frames";
import { labelMargins, lineMargins } from "../chance/groups";
import type { Profile } from "../data/profile";
import { type Share, byState } from "../model/breakdown";
import { type Filters, type LabelFilter, NO_FILTERS } from "../model/filters";
import type { FrameTree } from "../model/frame_tree";
import { Hits, hitsIn } from "../model/hits";
import { matchingFunctions } from "../model/matches";
import { mergedTree } from "../model/merged_tree";
import { type Site, allocationSites, hasSites } from "../model/sites";
import { type Selection, select } from "../model/selection";
import { isFile } from "../model/source_files";
import { type Weights, codeWeights, functionWeights, lineWeights } from "../model/weights";
import { Unit } from "../text/units";
import { Links, linkTo } from "./links";
import { type Route, VIEWS, type View, fromFragment, toFragment, withoutNumbers } from "./route";

/**
 * The state that views show: the profile, the route, and values that follow from both. A value is
 * computed when it is needed first.
 */
export class Session {
  readonly links: Links;
  route: Route;
  private readonly cache = new Map<string, { key: string; value: unknown }>();
  private readonly listeners: (() => void)[] = [];

  /**
   * `whole`: the profile with all of its frames. `document`: number that entries of the browser's
   * history keep, since an entry may be of another document.
   */
  constructor(
    private readonly whole: Profile,
    signal: AbortSignal,
    private readonly document = 0,
  ) {
    this.links = new Links(whole.local);
    this.route = this.readRoute();
    addEventListener("hashchange", () => this.follow(), { signal });
  }

  /**
   * The profile as it is shown: with the chosen values as weights, without idle time and without
   * folded frames.
   */
  get profile(): Profile {
    const { value, filters: { fold } } = this.route;
    return this.remember("profile", [value, this.idle, fold], () => {
      const weighed = this.whole.weighedBy(value);
      return (this.idle ? weighed : weighed.withoutIdle()).folded(fold);
    });
  }

  /** Whether time in which threads waited for work counts. */
  get idle(): boolean {
    return this.route.idle ?? this.whole.idle?.shown ?? true;
  }

  /** The unit of weights. */
  get unit(): Unit {
    return new Unit(this.profile.target.meta.unit);
  }

  /** Returns a label's value as it is shown. */
  valueName(label: LabelFilter): string {
    return this.profile.labels.valueName(label);
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Changes the route. With `quietly`, the browser's history gets no new entry. */
  navigate(change: Partial<Route>, quietly = false): void {
    const fragment = this.linkTo(change);
    if (fragment === toFragment(this.route)) return;
    history[quietly ? "replaceState" : "pushState"](this.document, "", fragment);
    this.follow();
  }

  /** Returns the link to the route that `navigate` would show. */
  linkTo(change: Partial<Route>): string {
    return toFragment({ ...this.route, ...change });
  }

  filter(change: Partial<Filters>): void {
    this.navigate({ filters: { ...this.route.filters, ...change } });
  }

  /** Removes all filters. The switches of code stay: they leave out no samples. */
  clearFilters(): void {
    this.filter({ ...NO_FILTERS, fold: this.route.filters.fold });
  }

  /** Whether any filter is set. */
  get filtered(): boolean {
    return Object.values({ ...this.route.filters, fold: [] }).some((list: unknown[]) => list.length > 0);
  }

  /** Whether the samples that pass the filters have no weight. */
  get empty(): boolean {
    return this.selection.targetTotal === 0 && this.selection.baseTotal === 0;
  }

  /** The views that this profile has. */
  get views(): View[] {
    const missing = [...(this.whole.hasTimeline ? [] : ["timeline"]), ...(hasSites(this.whole) ? [] : ["objects"])];
    return VIEWS.filter((view) => !missing.includes(view));
  }

  get comparing(): boolean {
    return this.profile.base !== null;
  }

  get normalise(): boolean {
    return this.comparing && (this.route.normalise ?? this.profile.normalise);
  }

  /** The changes that chance explains; null without a comparison. */
  get chance(): Chance | null {
    return this.remember("chance", this.scope, () => Chance.of(this.profile, this.selection));
  }

  /** What chance explains of functions, frames and calls; null without a comparison. */
  get margins(): Margins | null {
    return this.remember("margins", this.scope, () => this.chance && new Margins(this.chance, this.profile.functions.real));
  }

  /** The parts of the state that determine the weights of samples. */
  private get scope(): unknown {
    return [this.route.value, this.route.filters, this.normalise, this.idle];
  }

  get selection(): Selection {
    return this.remember("selection", this.scope, () =>
      select(this.profile, this.route.filters, this.normalise),
    );
  }

  get tree(): FrameTree {
    const { filters, order, inverted } = this.route;
    return this.remember("tree", [this.scope, order, inverted], () =>
      mergedTree(this.profile, this.selection, filters, { order, inverted }),
    );
  }

  get functionWeights(): Weights[] {
    return this.remember("functions", this.scope, () => functionWeights(this.profile, this.selection));
  }

  /** The weights by function, with the objects that it allocates as its own. */
  get codeWeights(): Weights[] {
    return this.remember("code", this.scope, () => codeWeights(this.profile, this.selection));
  }

  get lineWeights(): Weights[] {
    return this.remember("lines", this.scope, () => lineWeights(this.profile, this.selection));
  }

  /** The margin of each value of a label (see labelMargins); null without a comparison. */
  labelMargins(key: string): Map<string | null, number> | null {
    return this.remember(`margins of ${key}`, this.scope, () => labelMargins(this.profile, this.selection, key));
  }

  /** The margin of each source line (see lineMargins); null without a comparison. */
  get lineMargins(): number[] | null {
    return this.remember("margins of lines", this.scope, () => lineMargins(this.profile, this.selection));
  }

  get sites(): Site[] {
    return this.remember("sites", this.scope, () => allocationSites(this.profile, this.selection));
  }

  /** The weight by state of the samples that pass all filters but that of states. */
  get stateShares(): Map<number, Share> {
    return this.remember("states", this.scope, () => {
      const { filters } = this.route;
      return byState(this.profile, filters.states.length === 0 ? this.selection : select(this.profile, { ...filters, states: [] }, this.normalise));
    });
  }

  /** Returns links to a line of a function's file: pairs of a name and an address. */
  linksTo(fn: number, line: number): [string, string][] {
    const { functions } = this.profile;
    const { editor, repository } = this.links.templates;
    const path = functions.paths[fn];
    if (!isFile(path)) return [];
    const inRepository = functions.kind(fn) === "app" ? linkTo(repository, path, line) : null;
    const inEditor = linkTo(editor, this.fullPath(path), line);
    return [...(inEditor === null ? [] : [["Open in the editor", inEditor] as [string, string]]), ...(inRepository === null ? [] : [["Open in the repository", inRepository] as [string, string]])];
  }

  private fullPath(path: string): string {
    const files = this.profile.local?.files ?? {};
    return Object.hasOwn(files, path) ? files[path] : path;
  }

  /** The functions that the search finds; null without a search. */
  get found(): Uint8Array | null {
    const { search } = this.route;
    return search === "" ? null : this.remember("found", search, () => matchingFunctions(this.profile, search));
  }

  /** The frames that the search finds, for the steps from one to the next. */
  get hits(): Hits {
    const { order, inverted, search } = this.route;
    return this.remember("hits", [this.scope, order, inverted, search], () => new Hits(this.found ? hitsIn(this.tree, this.found) : []));
  }

  private follow(): void {
    this.route = this.readRoute();
    this.listeners.forEach((listener) => listener());
  }

  /**
   * Returns the route of the address, with the first view if this profile lacks the route's. An
   * entry of the history without a number comes from a link, and is of this document.
   */
  private readRoute(): Route {
    if (history.state === null) history.replaceState(this.document, "");
    const linked = fromFragment(location.hash);
    const route = history.state === this.document ? linked : withoutNumbers(linked);
    return this.views.includes(route.view) ? route : { ...route, view: VIEWS[0] };
  }

  private remember<Value>(name: string, key: unknown, compute: () => Value): Value {
    const text = JSON.stringify(key);
    const known = this.cache.get(name);
    if (known?.key === text) return known.value as Value;
    const value = compute();
    this.cache.set(name, { key: text, value });
    return value;
  }
}
