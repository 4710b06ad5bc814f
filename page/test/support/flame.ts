import type { Page } from "playwright-core";

/** Drives the flame graph of an open page. */
export class Flame {
  constructor(private readonly page: Page) {}

  /** Returns the text of the line below the graph. */
  async status(): Promise<string> {
    return (await this.page.locator("#flame-status").textContent()) ?? "";
  }

  /** Returns the names of the frames from "all" to the zoomed one; empty without a zoom. */
  trail(): Promise<string[]> {
    return this.page.locator(".trail button").allTextContents();
  }

  /** Presses keys in the graph. */
  async press(...keys: string[]): Promise<void> {
    await this.page.locator(".flame-graph").focus();
    for (const key of keys) await this.page.keyboard.press(key);
  }

  /**
   * Walks to a frame with the keyboard, row by row. Throws an Error if it does not find the frame.
   */
  async walkTo(name: string): Promise<void> {
    for (let depth = 0; depth < 60; depth++) {
      for (let across = 0; across < 60; across++) {
        const before = await this.status();
        if (before.startsWith(`${name} total`)) return;
        await this.press("ArrowRight");
        if ((await this.status()) === before) break;
      }
      for (let back = 0; back < 60; back++) {
        const before = await this.status();
        await this.press("ArrowLeft");
        if ((await this.status()) === before) break;
      }
      await this.press("ArrowDown");
    }
    throw new Error(`no frame ${name}; the cursor is on ${await this.status()}`);
  }

  /** Returns the centre of the cursor's frame on the screen, and its width. */
  async cursor(): Promise<{ x: number; y: number; width: number }> {
    const box = await this.page.locator(".flame-cursor").boundingBox();
    if (!box) throw new Error("the cursor is on no frame");
    return { x: box.x + box.width / 2, y: box.y + box.height / 2, width: box.width };
  }
}
