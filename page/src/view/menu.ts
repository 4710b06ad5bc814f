import type { Point } from "../flame/graph";
import { fill, h } from "./dom";

export interface MenuItem {
  text: string;
  choose: () => void;
}

/** A menu at a place of the screen, for the mouse and the keyboard. */
export class Menu {
  readonly element = h("div", { class: "menu", role: "menu", hidden: true, onkeydown: (event: KeyboardEvent) => this.onKey(event) });
  private before: Element | null = null;

  constructor(signal: AbortSignal) {
    const closeElsewhere = (event: Event): void => {
      if (!this.element.contains(event.target as Node)) this.close();
    };
    addEventListener("pointerdown", closeElsewhere, { signal });
    addEventListener("blur", () => this.close(), { signal });
  }

  open(at: Point, title: string, items: MenuItem[]): void {
    this.before = document.activeElement;
    fill(this.element, h("div", { class: "menu-title" }, title), ...items.map((item) => this.button(item)));
    this.element.setAttribute("aria-label", title);
    this.element.hidden = false;
    this.element.style.left = `${Math.max(4, Math.min(at.x, innerWidth - this.element.offsetWidth - 4))}px`;
    this.element.style.top = `${Math.max(4, Math.min(at.y, innerHeight - this.element.offsetHeight - 4))}px`;
    this.buttons[0]?.focus();
  }

  close(): void {
    if (this.element.hidden) return;
    this.element.hidden = true;
    if (this.before instanceof HTMLElement) this.before.focus();
  }

  private get buttons(): HTMLButtonElement[] {
    return [...this.element.querySelectorAll("button")];
  }

  private button(item: MenuItem): HTMLElement {
    const choose = (): void => {
      this.close();
      item.choose();
    };
    return h("button", { type: "button", role: "menuitem", onclick: choose }, item.text);
  }

  private onKey(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape" || event.key === "Tab") this.close();
    else if (step === undefined) return;
    else {
      const { buttons } = this;
      const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
      buttons[(at + step + buttons.length) % buttons.length]?.focus();
    }
    event.preventDefault();
    event.stopPropagation();
  }
}
