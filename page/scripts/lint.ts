// Checks the types of all sources, and then the rules of eslint.config.js with the same types: tsc
// and eslint, each by itself, take half as much CPU time again.

import { ESLint } from "eslint";
import ts from "typescript";

const fail = ({ messageText }: ts.Diagnostic): never => {
  throw new Error(ts.flattenDiagnosticMessageText(messageText, "\n"));
};

/** Returns the program of tsconfig.json, as @typescript-eslint/parser needs it. */
function sources(): ts.Program {
  const config = ts.getParsedCommandLineOfConfigFile("tsconfig.json", {}, { ...ts.sys, onUnRecoverableConfigFileDiagnostic: fail });
  if (config === undefined) throw new Error("there is no tsconfig.json here: use npm --prefix page run lint");
  return ts.createProgram(config.fileNames, config.options, ts.createCompilerHost(config.options, true));
}

const program = sources();
const wrong = ts.getPreEmitDiagnostics(program);
const parserOptions = { programs: [program], project: null };
const eslint = new ESLint({ overrideConfig: { files: ["**/*.ts"], languageOptions: { parserOptions } } });
const found = await eslint.lintFiles(["."]);
const formatter = await eslint.loadFormatter("stylish");
const host = { getCanonicalFileName: (name: string) => name, getCurrentDirectory: () => ts.sys.getCurrentDirectory(), getNewLine: () => "\n" };
process.stdout.write(ts.formatDiagnostics(wrong, host) + (await formatter.format(found)));
process.exitCode = wrong.length + found.reduce((sum, { errorCount, warningCount }) => sum + errorCount + warningCount, 0) > 0 ? 1 : 0;
