import assert from "node:assert/strict";
import { test } from "node:test";
import { Links, linkTo } from "../../src/state/links";

test("a link has the path and the line, and nothing else of a path can get into it", () => {
  assert.equal(linkTo("vscode://file{path}:{line}", "/srv/a b/shop.rb", 12), "vscode://file/srv/a%20b/shop.rb:12");
  assert.equal(linkTo("https://example.org/{path}#L{line}", "app/x?y#z.rb", 0), "https://example.org/app/x%3Fy%23z.rb#L1");
  assert.equal(linkTo("edit://open?file={path}", "{line}.rb", 3), "edit://open?file=%7Bline%7D.rb");
});

test("without a template, and with one that could run something, there is no link", () => {
  for (const template of ["", "javascript://{path}", "JavaScript://%0aalert(1)//{path}", "data://{path}", "{path}", "vscode://file", "vscode://a b{path}"]) {
    assert.equal(linkTo(template, "a.rb", 1), null, template);
  }
});

test("templates are those of the page until the reader chooses", () => {
  const links = new Links({ downloads: [], editor: "vscode://file{path}", repository: null, files: {} });
  assert.deepEqual(links.templates, { editor: "vscode://file{path}", repository: "" });
  assert.equal(links.choose({ editor: "nowhere", repository: "" }), "'nowhere' is no address with {path} in it");
  assert.equal(links.templates.editor, "vscode://file{path}");
  assert.equal(links.choose({ editor: "", repository: "https://example.org/{path}" }), "");
  assert.equal(links.templates.repository, "https://example.org/{path}");
  assert.deepEqual(new Links(null).templates, { editor: "", repository: "" });
});
