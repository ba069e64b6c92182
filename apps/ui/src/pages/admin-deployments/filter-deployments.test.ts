import { expect, test } from "vitest";
import { nameDeployment } from "../../format/name-deployment.ts";
import { type Deployment, filterDeployments } from "./filter-deployments.ts";

const plain = {
  id: "a".repeat(64),
  group: "gpt-5",
  provider: "openai",
  model: "gpt-5-2025",
  source: { kind: "file", file: "config.yaml", line: 4 },
  priced: true,
  priceSource: "catalog",
  stale: false,
  status: "healthy",
  health: "degraded",
  modelId: null,
} as unknown as Deployment;
const all = { search: "", provider: "", source: "", health: "", price: "" };

test("groups deployments by model group in list order", () => {
  const listed = [plain, { ...plain, id: "b", group: "qwen" }, { ...plain, id: "c" }];
  expect(
    filterDeployments(listed, all).map(({ name, deployments }) => [name, deployments.map(({ id }) => id)]),
  ).toEqual([
    ["gpt-5", [plain.id, "c"]],
    ["qwen", ["b"]],
  ]);
});

test.each([
  ["search", { search: "2025" }, true],
  ["search elsewhere", { search: "claude" }, false],
  ["provider", { provider: "azure" }, false],
  ["source", { source: "file" }, true],
  ["health", { health: "degraded" }, true],
  ["other health", { health: "healthy" }, false],
  ["unpriced", { price: "unpriced" }, false],
] as const)("the %s filter returns only matching deployments", (_, filter, isLeft) => {
  expect(filterDeployments([plain], { ...all, ...filter })).toHaveLength(isLeft ? 1 : 0);
});

test("a configured ID is used as the deployment's name, but a generated ID is not", () => {
  expect(nameDeployment({ ...plain, id: "azure-sweden" })).toBe("azure-sweden");
  expect(nameDeployment(plain)).toBe("openai");
  expect(nameDeployment({ ...plain, id: "gpt-5" })).toBe("openai");
});
