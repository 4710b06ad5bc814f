/** One of the views of the page. */
export interface PageView {
  readonly element: HTMLElement;
  /** Shows what the session's route says now. */
  update(): void;
  /** Puts the keyboard where this view uses it. */
  focus?(): void;
}
