import { App } from "./app";
import type { Document } from "./data/document";
import { Profile } from "./data/profile";

const data = document.getElementById("data");
const page = document.getElementById("page");
if (data && page) new App(new Profile(JSON.parse(data.textContent) as Document)).mount(page);
