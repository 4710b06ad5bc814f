import { type FileShare, sourceFiles } from "../model/source_files";
import type { Session } from "../state/session";
import { percent } from "../text/units";
import { chooser, fill, h } from "./dom";
import { emptyNote } from "./empty";
import { listing } from "./listing";
import type { PageView } from "./page_view";

/** Source files with the weight of each line. */
export class SourceView implements PageView {
  readonly element = h("section", { class: "source-view", "aria-label": "Source" });

  constructor(private readonly session: Session) {}

  update(): void {
    const { session } = this;
    if (session.empty) return fill(this.element, emptyNote(session));
    const files = sourceFiles(session.profile, session.selection, session.lineWeights.map((row) => Math.max(row.total, row.baseTotal)));
    if (files.length === 0) return fill(this.element, h("p", { class: "note" }, "No function of the profile has a source file."));
    const chosen = files.some(({ path }) => path === session.route.source) ? session.route.source : files[0].path;
    fill(this.element, this.chooser(files, chosen), listing(session, chosen, session.lineWeights));
  }

  private chooser(files: FileShare[], chosen: string): HTMLElement {
    const { session } = this;
    const total = Math.max(session.selection.targetTotal, session.selection.baseTotal);
    const options = files.map(({ path, own }): [string, string] => [path, `${path} (${percent(own, total)})`]);
    return chooser("File", options, chosen, (path) => session.navigate({ source: path }));
  }
}
