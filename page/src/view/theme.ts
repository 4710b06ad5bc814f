import type { Theme } from "../flame/palette";

const STORAGE_KEY = "rperf-theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

let chosen: Theme | null = remembered();

/** Returns the theme in use: the user's choice, or else the system's theme. */
export function currentTheme(): Theme {
  return chosen ?? (dark.matches ? "dark" : "light");
}

/** Applies the theme now and whenever the system's changes, and then calls `changed`. */
export function watchTheme(changed: () => void, signal: AbortSignal): void {
  apply();
  const follow = (): void => {
    apply();
    changed();
  };
  dark.addEventListener("change", follow, { signal });
}

export function switchTheme(): void {
  chosen = currentTheme() === "dark" ? "light" : "dark";
  try {
    localStorage.setItem(STORAGE_KEY, chosen);
  } catch {
    // A page from disk may have no storage: then the choice holds until the page is closed.
  }
  apply();
}

function apply(): void {
  document.documentElement.dataset["theme"] = currentTheme();
}

function remembered(): Theme | null {
  try {
    const value = localStorage.getItem(STORAGE_KEY);
    return value === "light" || value === "dark" ? value : null;
  } catch {
    return null;
  }
}
