import type { Document } from "./data/document";
import { Page } from "./page";

const data = document.getElementById("data");
const page = document.getElementById("page");
if (data && page) new Page(page, JSON.parse(data.textContent) as Document);
