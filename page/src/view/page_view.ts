/** One of the views of the page. */
export interface PageView {
  readonly element: HTMLElement;
  /** Shows what the session's route says now. */
  update(): void;
  /** Puts the keyboard where this view uses it. */
  focus?(): void;
  /** A key that was pressed here, or where nothing has the keyboard. Prevents the default of those that it knows. */
  key?(event: KeyboardEvent): void;
}
