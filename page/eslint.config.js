import js from "@eslint/js";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["node_modules"] },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { project: "./tsconfig.json" } },
    rules: {
      "complexity": ["error", 10],
      "max-lines": ["error", 250],
      "max-lines-per-function": ["error", { max: 45, skipBlankLines: true, skipComments: true }],
      "no-restricted-properties": [
        "error",
        ...["innerHTML", "outerHTML", "insertAdjacentHTML", "setHTMLUnsafe"].map((property) => ({
          property,
          message: "What a profile holds is text: use h() and text nodes.",
        })),
        { object: "document", property: "write", message: "What a profile holds is text: use h() and text nodes." },
      ],
      "@typescript-eslint/explicit-function-return-type": ["error", { allowExpressions: true, allowTypedFunctionExpressions: true }],
      "@typescript-eslint/no-confusing-void-expression": "off",
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/dot-notation": "off",
    },
  },
  // Who may know whom: text <- data <- model <- state <- flame, view <- app.
  ...Object.entries({
    text: ["data", "model", "state", "flame", "view"],
    data: ["model", "state", "flame", "view"],
    model: ["state", "flame", "view", "text"],
    state: ["flame", "view"],
  }).map(([room, others]) => ({
    files: [`src/${room}/**`],
    rules: {
      "no-restricted-imports": ["error", { patterns: [...others.map((other) => `../${other}/*`), "../app", "../main"] }],
    },
  })),
  {
    // node:test's functions return promises that the runner waits for.
    files: ["test/**"],
    rules: { "@typescript-eslint/no-floating-promises": "off", "max-lines-per-function": "off" },
  },
  { files: ["*.js"], ...tseslint.configs.disableTypeChecked },
);
