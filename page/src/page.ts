import { App } from "./app";
import { combine } from "./data/combined";
import type { Document } from "./data/document";
import { readDocument } from "./data/file_reader";
import { Profile } from "./data/profile";
import { HOME, fromFragment, toFragment, withoutNumbers } from "./state/route";
import { keepFocus } from "./view/focus";

/**
 * What the browser shows: a document, a document of another mode of the same recording, or a
 * comparison with a document that was dropped into the page.
 */
export class Page {
  private life = new AbortController();
  /** The compared documents; null without a comparison. */
  private sides: { target: Document; base: Document } | null = null;
  private app: App | null = null;
  private readonly modes: Map<string, () => Document>;
  /** The shown mode. */
  private mode = "";
  private document: Document;

  /** `mode`: the mode of `first`; `beside`: functions that read the documents of other modes. */
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

  /** The mode in the address, or the first mode if the page does not have that one. */
  private get chosen(): string {
    const { mode } = fromFragment(location.hash);
    return this.modes.has(mode) ? mode : [...this.modes.keys()][0];
  }

  private open(): void {
    this.mode = this.chosen;
    this.document = (this.modes.get(this.mode) as () => Document)();
    this.sides = null;
    this.show(this.document, 0);
  }

  /**
   * Shows another mode with the same view, search, filters and order. The time range and the
   * numbers of threads and of functions belong to the current document, and are not kept.
   */
  private choose(mode: string): void {
    const { view, search, filters, order, inverted, upright } = withoutNumbers(fromFragment(location.hash));
    history.pushState(null, "", toFragment({ ...HOME, view, search, filters, order, inverted, upright, mode }));
    this.open();
  }

  private show(document: Document, number: number): void {
    this.life.abort();
    this.life = new AbortController();
    const modes = { names: [...this.modes.keys()], shown: this.mode, choose: (mode: string) => this.choose(mode) };
    const actions = { compare: (file: File) => void this.compare(file), swap: this.sides && (() => this.swap()), modes };
    const app = (this.app = new App(new Profile(document), actions, this.life.signal, number));
    keepFocus([this.element], () => app.mount(this.element));
  }

  /**
   * Compares the document with the profile in a file. The profile whose recording ended first is
   * the base. Starts do not distinguish them, since snapshots of a session have the same start.
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

  /**
   * Shows a comparison by the chosen value in the same view, without what belongs to one document.
   * It gets a number that no other comparison has, also after the page is loaded again.
   */
  private showSides(sides: { target: Document; base: Document }): void {
    const both = { ...combine(sides.target, sides.base, this.app?.quantity), local: this.document.local };
    this.sides = sides;
    const number = Date.now();
    history.replaceState(number, "", toFragment(withoutNumbers(fromFragment(location.hash))));
    this.show(both, number);
  }
}
