import { App } from "./app";
import { combine } from "./data/combined";
import type { Document } from "./data/document";
import { readDocument } from "./data/file_reader";
import { Profile } from "./data/profile";
import { HOME, fromFragment, toFragment } from "./state/route";
import { NO_FILTERS } from "./model/filters";

/**
 * What the browser shows: a document, one of another mode of the same recording, or how one
 * compares with another one that was dropped into the page.
 */
export class Page {
  private life = new AbortController();
  /** What is compared; null before anything was dropped. */
  private sides: { target: Document; base: Document } | null = null;
  private app: App | null = null;
  private readonly modes: Map<string, () => Document>;
  /** The mode that is shown. */
  private mode = "";
  private document: Document;

  /** `mode`: that of the first document; `beside`: what gives those of other modes. */
  constructor(
    private readonly element: Element,
    first: Document,
    mode = "",
    beside: ReadonlyMap<string, () => Document> = new Map(),
  ) {
    this.document = first;
    this.modes = new Map([[mode, () => first], ...beside]);
    addEventListener("hashchange", () => this.chosen !== this.mode && this.open());
    this.open();
  }

  /** The mode of the address. */
  private get chosen(): string {
    const { mode } = fromFragment(location.hash);
    return this.modes.has(mode) ? mode : [...this.modes.keys()][0];
  }

  private open(): void {
    this.mode = this.chosen;
    this.document = (this.modes.get(this.mode) as () => Document)();
    this.sides = null;
    this.show(this.document);
  }

  /**
   * Shows another mode with the same view, search and filters, as far as these are not about
   * functions or times of this one.
   */
  private choose(mode: string): void {
    const { view, search, filters, order, inverted, upright } = fromFragment(location.hash);
    history.pushState(null, "", toFragment({ ...HOME, view, search, filters: { ...filters, range: NO_FILTERS.range }, order, inverted, upright, mode }));
    this.open();
  }

  private show(document: Document): void {
    this.life.abort();
    this.life = new AbortController();
    const modes = { names: [...this.modes.keys()], shown: this.mode, choose: (mode: string) => this.choose(mode) };
    const actions = { compare: (file: File) => void this.compare(file), swap: this.sides && (() => this.swap()), modes };
    this.app = new App(new Profile(document), actions, this.life.signal);
    this.app.mount(this.element);
  }

  /**
   * Compares with the profile in a file; the one whose recording ended first is the base: snapshots
   * of a session have their beginning in common.
   */
  private async compare(file: File): Promise<void> {
    try {
      const { document } = this;
      const other = await readDocument(file, document);
      const [here, there] = [document, other].map(({ target: { meta } }) => meta.start_time_ns + meta.duration_ns);
      const isLater = document.target.meta.start_time_ns !== 0 && there > here;
      this.showSides(isLater ? { target: other, base: document } : { target: document, base: other });
    } catch (problem) {
      this.app?.complain(problem instanceof Error ? problem.message : String(problem));
    }
  }

  private swap(): void {
    if (this.sides) this.showSides({ target: this.sides.base, base: this.sides.target });
  }

  /** Numbers of functions in the address are those of one document. */
  private showSides(sides: { target: Document; base: Document }): void {
    const both = { ...combine(sides.target, sides.base), local: this.document.local };
    this.sides = sides;
    history.replaceState(null, "", toFragment({ ...HOME, mode: fromFragment(location.hash).mode }));
    this.show(both);
  }
}
