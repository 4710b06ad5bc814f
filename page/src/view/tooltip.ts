import type { Point } from "../flame/graph";
import { fill, h } from "./dom";

/** A box beside the pointer. */
export class Tooltip {
  readonly element = h("div", { class: "tooltip", role: "tooltip", hidden: true });

  show(at: Point, ...content: Node[]): void {
    fill(this.element, ...content);
    this.element.hidden = false;
    const { offsetWidth, offsetHeight } = this.element;
    const left = at.x + 14 + offsetWidth > innerWidth ? at.x - 14 - offsetWidth : at.x + 14;
    const top = at.y + 18 + offsetHeight > innerHeight ? at.y - 12 - offsetHeight : at.y + 18;
    this.element.style.left = `${Math.max(4, left)}px`;
    this.element.style.top = `${Math.max(4, top)}px`;
  }

  hide(): void {
    this.element.hidden = true;
  }
}
