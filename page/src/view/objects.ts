import { siteMargin } from "../chance/site_margin";
import { VALUES, type Site, type Value, diedShare } from "../model/sites";
import type { Session } from "../state/session";
import { Unit, grouped, percent } from "../text/units";
import { functionActions } from "./actions";
import { breakable, fill, h } from "./dom";
import { emptyNote } from "./empty";
import { functionLink } from "./function_link";
import type { Menu } from "./menu";
import type { PageView } from "./page_view";
import { type Column, table } from "./table";
import { chanceNote, changeColumns, weightColumn } from "./weight_columns";

const TITLES: Record<Value, string> = { inuse_space: "In use", inuse_objects: "Objects in use", alloc_space: "Allocated", alloc_objects: "Objects allocated" };

const TIME = new Unit("nanoseconds");

/**
 * The view of objects by class and allocating line: their number and bytes, the part of them that
 * died, and the age of the others.
 */
export class ObjectsView implements PageView {
  readonly element = h("section", { class: "objects-view", "aria-label": "Objects" });

  constructor(
    private readonly session: Session,
    private readonly menu: Menu,
  ) {}

  update(): void {
    const { session } = this;
    if (session.empty) return fill(this.element, emptyNote(session));
    const rows = this.rows();
    const what = `${rows.some(({ name }) => name !== null) ? "Classes and lines" : "Lines"} that allocate: ${grouped(rows.length)}`;
    const content = table<Site>(rows, {
      caption: [what, ...chanceNote(session)].join(". "),
      columns: [...(session.comparing ? this.changes() : this.values()), ...this.fates(rows), ...this.names(rows)],
      className: session.comparing ? "sites comparing" : "sites",
      sort: session.route.sort,
      first: session.comparing ? "selfChange" : "self",
      onSort: (sort) => session.navigate({ sort }, true),
      menu: (site, at) => site.fn >= 0 && this.menu.open(at, `${session.profile.functions.name(site.fn)}:${site.line}`, functionActions(session, site.fn, site.line)),
    });
    fill(this.element, content);
  }

  private rows(): Site[] {
    const { found } = this.session;
    return this.weighty.filter(({ fn, leaf }) => !found || found[fn] === 1 || found[leaf] === 1);
  }

  private get weighty(): Site[] {
    return this.session.sites.filter(({ weights }) => weights.self + weights.baseSelf > 0);
  }

  /** Returns the columns of values: the chosen one with its share of the total, and the others. */
  private values(): Column<Site>[] {
    const { target, kinds } = this.session.profile;
    return VALUES.filter((value) => kinds.includes(value)).map((value) => {
      const title = TITLES[value];
      if (value === target.meta.kind) return weightColumn<Site>(this.session, "self", title);
      const unit = new Unit(value.endsWith("space") ? "bytes" : "count");
      return { name: value, title, numeric: true, value: (site) => site.values[value], cell: (site) => unit.format(site.values[value]) };
    });
  }

  private changes(): Column<Site>[] {
    const { chance, target } = this.session.profile;
    const { kind } = target.meta;
    return changeColumns<Site>(this.session, "self", kind in TITLES ? TITLES[kind as Value] : kind, siteMargin(this.weighty, chance));
  }

  /** Returns the columns of what happened to the objects, if the profile says it. */
  private fates(rows: Site[]): Column<Site>[] {
    const died: Column<Site> = { name: "died", title: "Died", numeric: true, value: (site) => diedShare(site) ?? -1, cell: (site) => share(diedShare(site)) };
    const age: Column<Site> = { name: "age", title: "Age", numeric: true, value: ({ ages }) => ages.median?.lived ?? -1, cell: ageCell };
    const recording = this.session.profile.target.meta.duration_ns;
    const born: Column<Site> = { name: "born", title: "Born", value: ({ ages }) => ages.thirds(recording)[1], cell: ({ ages }) => thirdsCell(ages.thirds(recording)), numeric: true };
    const says = this.session.profile.kinds.includes("inuse_objects");
    return [...(says ? [died] : []), ...(rows.some(({ ages }) => ages.median !== null) ? [age, born] : [])];
  }

  /** Returns the columns of names. A narrow screen has one column for all of them. */
  private names(rows: Site[]): Column<Site>[] {
    const { functions } = this.session.profile;
    const place = ({ fn, line }: Site): string => (line === 0 ? "" : `${functions.paths[fn]}:${line}`);
    const path = (site: Site, style: string): Node => h("span", { class: style }, ...breakable(place(site)));
    const allocator = (site: Site): Node => (site.fn < 0 ? h("span", {}, "(no frames)") : functionLink(this.session, site.fn, true));
    const by = { title: "Allocated by", value: (site: Site) => (site.fn < 0 ? "" : functions.name(site.fn)) };
    const line: Column<Site> = { name: "place", title: "Line", value: place, cell: (site) => path(site, "path") };
    if (rows.every(({ name }) => name === null)) return [{ name: "name", ...by, cell: (site) => h("span", {}, allocator(site), path(site, "path below")) }, line];
    const below = (site: Site): Node => h("span", { class: "below" }, allocator(site), path(site, "path below"));
    return [
      { name: "name", title: "Class", value: ({ name }) => name ?? "", cell: (site) => h("span", {}, this.className(site), below(site)) },
      { name: "function", ...by, cell: allocator },
      line,
    ];
  }

  private className({ leaf, name }: Site): Node | string {
    return leaf < 0 ? (name ?? "–") : functionLink(this.session, leaf);
  }
}

function share(part: number | null): string {
  return part === null ? "–" : percent(part, 1);
}

/** Returns the median age of the bytes: the time lived, and the collections survived. */
function ageCell({ ages }: Site): Node | string {
  const { median } = ages;
  return median === null ? "–" : h("span", {}, TIME.format(median.lived), " ", h("small", {}, `${grouped(median.collections)} GC`));
}

/** Returns bars for the bytes in use that were born in each third of the recording. */
function thirdsCell(thirds: [number, number, number]): Node {
  const total = thirds.reduce((sum, bytes) => sum + bytes, 0);
  const text = thirds.map((bytes, index) => `${["first", "second", "last"][index]} third ${percent(bytes, total)}`).join(", ");
  const bars = thirds.map((bytes) => {
    const part = h("i");
    part.style.height = `${total === 0 ? 0 : (bytes / total) * 100}%`;
    return part;
  });
  return h("span", { class: "thirds", role: "img", title: text, "aria-label": text }, ...bars);
}
