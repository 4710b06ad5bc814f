import type { Session } from "../state/session";
import { percent } from "../text/units";
import { fill, h } from "./dom";
import { listing } from "./listing";
import type { PageView } from "./page_view";

/** Source files with the weight of each line. */
export class SourceView implements PageView {
  readonly element = h("section", { class: "source-view", "aria-label": "Source" });

  constructor(private readonly session: Session) {}

  update(): void {
    const files = this.files();
    if (files.length === 0) return fill(this.element, h("p", { class: "note" }, "No function of the profile has a source file."));
    const { route } = this.session;
    const chosen = files.some(([path]) => path === route.source) ? route.source : files[0][0];
    fill(this.element, this.chooser(files, chosen), listing(this.session, chosen));
  }

  /** Paths with the largest weight of a line in them, the heaviest first. */
  private files(): [string, number][] {
    const { profile, lineWeights } = this.session;
    const files = new Map<string, number>();
    profile.tree.lines.forEach(({ path, number }, id) => {
      const weight = Math.max(lineWeights[id].total, lineWeights[id].baseTotal);
      if (path === "" || path.startsWith("<") || number === 0 || weight === 0) return;
      files.set(path, Math.max(weight, files.get(path) ?? 0));
    });
    return [...files].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  }

  private chooser(files: [string, number][], chosen: string): HTMLElement {
    const { session } = this;
    const total = Math.max(session.selection.targetTotal, session.selection.baseTotal);
    const options = files.map(([path, weight]) => h("option", { value: path, selected: path === chosen }, `${path} (${percent(weight, total)})`));
    const onchange = (event: Event): void => session.navigate({ source: (event.target as HTMLSelectElement).value });
    return h("label", { class: "file" }, "File ", h("select", { onchange }, ...options));
  }
}
