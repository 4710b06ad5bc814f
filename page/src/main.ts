import type { Document } from "./data/document";
import { Page } from "./page";

const data = document.getElementById("data");
const page = document.getElementById("page");
/** The mode of the profile in an element. */
const modeOf = (element: HTMLElement): string => element.dataset.mode ?? "";
/** Reads a document only when it is needed: documents of large recordings take a while to read. */
const read = (element: Element) => (): Document => JSON.parse(element.textContent) as Document;
const beside = [...document.querySelectorAll<HTMLElement>("script.beside")].map((element): [string, () => Document] => [modeOf(element), read(element)]);
if (data && page) new Page(page, read(data)(), modeOf(data), new Map(beside));
