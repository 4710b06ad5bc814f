import { App } from "./app";
import { combine } from "./data/combined";
import type { Document } from "./data/document";
import { readDocument } from "./data/file_reader";
import { Profile } from "./data/profile";
import { HOME, toFragment } from "./state/route";

/**
 * What the browser shows: a document, or how it compares with another one that was dropped into the
 * page.
 */
export class Page {
  private life = new AbortController();
  /** What is compared; null before anything was dropped. */
  private sides: { target: Document; base: Document } | null = null;
  private app: App | null = null;

  constructor(
    private readonly element: Element,
    private readonly document: Document,
  ) {
    this.show(document);
  }

  private show(document: Document): void {
    this.life.abort();
    this.life = new AbortController();
    const actions = { compare: (file: File) => void this.compare(file), swap: this.sides && (() => this.swap()) };
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
    history.replaceState(null, "", toFragment(HOME));
    this.show(both);
  }
}
