/** One of the views of the page. */
export interface PageView {
  readonly element: HTMLElement;
  /** Shows the current route of the session. */
  update(): void;
  /** Gives the keyboard focus to the element of the view that uses it. */
  focus?(): void;
  /**
   * Goes to the next or the previous frame that the search finds. Returns its position, such as "3
   * of 17"; "": there is none.
   */
  step?(direction: 1 | -1): string;
  /**
   * Handles a key that was pressed here, or while no element had the focus. Prevents the default of
   * the keys that it knows.
   */
  key?(event: KeyboardEvent): void;
}
