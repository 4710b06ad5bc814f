/** Calls `take` with a file that is dropped anywhere on the page. */
export function watchDrops(element: Element, take: (file: File) => void, signal: AbortSignal): void {
  const over = (event: DragEvent): void => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    element.classList.toggle("dropping", event.type === "dragover");
  };
  addEventListener("dragover", over, { signal });
  addEventListener("dragleave", over, { signal });
  const drop = (event: DragEvent): void => {
    over(event);
    const file = event.dataTransfer?.files[0];
    if (file) take(file);
  };
  addEventListener("drop", drop, { signal });
}
