import { CROWD, type Row } from "./layout";
import type { Scene } from "./painter";

export type Step = "out" | "in" | "left" | "right";

/** Returns the frame that the cursor reaches from `node` by a step; `node` if there is none. */
export function walk(scene: Scene, node: number, step: Step): number {
  const { tree, rows } = scene;
  if (node < 0 || node >= tree.size || !rows[tree.depth[node]]?.node.includes(node)) return rows[scene.zoomDepth].node[0];
  if (step === "out") return tree.parent[node] < 0 ? node : tree.parent[node];
  if (step === "in") return firstChild(scene, node) ?? node;
  return beside(rows[tree.depth[node]], node, step === "left" ? -1 : 1);
}

function firstChild({ tree, rows }: Scene, node: number): number | undefined {
  const row = rows[tree.depth[node] + 1] as Row | undefined;
  return row?.node.find((child) => child !== CROWD && tree.parent[child] === node);
}

function beside(row: Row, node: number, direction: number): number {
  for (let index = row.node.indexOf(node) + direction; index >= 0 && index < row.node.length; index += direction) {
    if (row.node[index] !== CROWD) return row.node[index];
  }
  return node;
}
