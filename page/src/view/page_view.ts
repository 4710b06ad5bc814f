/** One of the views of the page. */
export interface PageView {
  readonly element: HTMLElement;
  /** Shows what the session's route says now. */
  update(): void;
  /** Puts the keyboard where this view uses it. */
  focus?(): void;
  /**
   * Goes to the next or the previous frame that the search finds, and says which one it is, such as
   * "3 of 17"; "": none.
   */
  step?(direction: 1 | -1): string;
  /**
   * A key that was pressed here, or where nothing has the keyboard. Prevents the default of those
   * that it knows.
   */
  key?(event: KeyboardEvent): void;
}
