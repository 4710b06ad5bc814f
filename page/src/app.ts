import type { Quantity } from "./data/document";
import type { Profile } from "./data/profile";
import type { View } from "./state/route";
import { Session } from "./state/session";
import { AboutView } from "./view/about";
import { fill, h } from "./view/dom";
import { watchDrops } from "./view/drop";
import { FlameView } from "./view/flame";
import { keepFocus } from "./view/focus";
import { helpDialog } from "./view/help";
import { LabelsView } from "./view/labels";
import { linkDialog } from "./view/link_dialog";
import { type Comparing, Masthead } from "./view/masthead";
import { Menu } from "./view/menu";
import { MethodView } from "./view/method";
import { ObjectsView } from "./view/objects";
import type { PageView } from "./view/page_view";
import { SourceView } from "./view/source";
import { switchTheme, watchTheme } from "./view/theme";
import { ThreadsView } from "./view/threads";
import { TimelineView } from "./view/timeline";
import { Toolbar } from "./view/toolbar";
import { Tooltip } from "./view/tooltip";
import { TopView } from "./view/top";
import { TreeView } from "./view/tree";

function hasModifier(event: KeyboardEvent): boolean {
  return event.ctrlKey || event.metaKey || event.altKey;
}

/** Whether the element with the focus uses a key. Buttons and links use those that press them. */
function usesKey({ target, key }: KeyboardEvent): boolean {
  if (target instanceof HTMLButtonElement || target instanceof HTMLAnchorElement) return key === "Enter" || key === " ";
  return target !== document.body;
}

/** The whole page: the masthead, the toolbar, the views and the keys. */
export class App {
  private readonly session: Session;
  private readonly masthead: Masthead;
  private readonly toolbar: Toolbar;
  private readonly main = h("main");
  private readonly tooltip = new Tooltip();
  private readonly menu: Menu;
  private readonly help = helpDialog();
  private readonly links: HTMLDialogElement;
  private readonly views: Record<View, PageView>;
  private readonly keys = new Map<string, () => void>([
    ["/", () => this.toolbar.focusSearch()],
    ["n", () => this.step(1)],
    ["N", () => this.step(-1)],
    ["t", () => this.changeTheme()],
    ["?", () => this.help.showModal()],
  ]);

  /** Creates the page. `signal` removes its listeners. `number`: that of the document. */
  constructor(profile: Profile, actions: Comparing, signal: AbortSignal, number: number) {
    const session = (this.session = new Session(profile, signal, number));
    this.menu = new Menu(signal);
    this.masthead = new Masthead(session, { ...actions, theme: () => this.changeTheme(), help: () => this.help.showModal(), links: () => this.links.showModal() });
    this.links = linkDialog(session.links, () => this.update());
    this.toolbar = new Toolbar(session, (direction) => this.step(direction));
    this.views = {
      flame: new FlameView(session, this.tooltip, this.menu),
      objects: new ObjectsView(session, this.menu),
      timeline: new TimelineView(session, this.tooltip),
      tree: new TreeView(session, this.menu),
      top: new TopView(session, this.menu),
      method: new MethodView(session, this.menu),
      source: new SourceView(session),
      labels: new LabelsView(session),
      threads: new ThreadsView(session),
      about: new AboutView(session),
    };
    session.views.forEach((view, index) => this.keys.set(String(index + 1), () => this.show(view)));
    session.onChange(() => this.update());
    watchTheme(() => this.update(), signal);
    addEventListener("keydown", (event) => this.onKey(event), { signal });
    watchDrops(document.body, actions.compare, signal);
  }

  /** Puts the page into an element. */
  mount(element: Element): void {
    fill(element, this.masthead.element, this.toolbar.element, this.main, this.tooltip.element, this.menu.element, this.help, this.links);
    this.update();
  }

  /** What the weights of all views measure. */
  get quantity(): Quantity {
    return this.session.profile.target.meta;
  }

  /** Shows a problem in the masthead. */
  complain(problem: string): void {
    this.masthead.complain(problem);
  }

  private update(): void {
    const view = this.views[this.session.route.view];
    this.tooltip.hide();
    keepFocus([this.masthead.element, this.toolbar.element, view.element], () => this.fillWith(view));
  }

  private fillWith(view: PageView): void {
    this.masthead.update();
    this.toolbar.update();
    if (this.main.firstElementChild !== view.element) {
      fill(this.main, view.element);
      scrollTo(0, 0);
    }
    view.update();
  }

  private changeTheme(): void {
    switchTheme();
    this.update();
  }

  private onKey(event: KeyboardEvent): void {
    if (event.defaultPrevented || hasModifier(event) || this.help.open || this.links.open) return;
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (event.key === "Escape") return this.onEscape(event.target, typing);
    if (!usesKey(event)) this.passKey(event);
    const act = typing ? undefined : this.keys.get(event.key);
    if (!act) return;
    act();
    event.preventDefault();
  }

  /**
   * Passes a key to the view. The view gets the focus with the first key that it handles, unless
   * this key opens a menu.
   */
  private passKey(event: KeyboardEvent): void {
    const view = this.views[this.session.route.view];
    const focused = document.activeElement;
    view.key?.(event);
    if (event.defaultPrevented && document.activeElement === focused) view.focus?.();
  }

  private show(view: View): void {
    this.session.navigate({ view });
    this.views[view].focus?.();
  }

  /**
   * Goes to the next (1) or the previous (-1) frame that the search finds. Views without frames
   * have no hits.
   */
  private step(direction: 1 | -1): void {
    if (this.session.route.search !== "") this.toolbar.showHit(this.views[this.session.route.view].step?.(direction) ?? "");
  }

  private onEscape(target: EventTarget | null, typing: boolean): void {
    if (this.toolbar.isSearch(target)) {
      this.toolbar.clearSearch();
      this.views[this.session.route.view].focus?.();
    } else if (!typing && this.session.route.zoom.length > 0) {
      this.session.navigate({ zoom: [] });
    }
  }
}
