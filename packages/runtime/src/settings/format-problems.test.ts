import { expect, test } from "vitest";
import { formatProblems } from "./format-problems.ts";
import { loadText } from "./load-for-test.ts";

test("prints the message, location, reason, and fix for every problem", () => {
  const text = `
gw_settings:
  drop_params: true
  request_timeout: 600

general_settings:
  max_request_size_mb: 50




# The indentation is unusual and allowed.
router_settings:
        routing_stategy: least-busy

model_list:
  - model_name: sonnet
    litellm_params:
      model: anthropic/claude-sonnet-4-5
      rpm: 10
      tpm: 100
      api_key: os.environ/ANTROPIC_API_KEY
`;
  const loaded = loadText(text, { ANTHROPIC_API_KEY: "sk-ant-1", HOME: "/root" });
  expect(loaded.kind).toBe("refused");
  expect(loaded.kind === "refused" && formatProblems(loaded.problems, "tollgate config check")).toBe(
    `✗ tollgate.yaml has 2 problems

  tollgate.yaml:14:9   unknown setting "routing_stategy"
                 did you mean "routing_strategy"?

  tollgate.yaml:22:16  api_key: os.environ/ANTROPIC_API_KEY
                 the environment variable is not set. Similar and set: ANTHROPIC_API_KEY

  Check again with:  tollgate config check
`,
  );
});

test("uses the singular for one problem, and names every file with problems", () => {
  const place = { line: 3, column: 1, path: "x", message: "wrong" };
  expect(formatProblems([{ file: "a.yaml", ...place }], "again")).toContain("✗ a.yaml has 1 problem\n");
  const files = ["a.yaml", "b.yaml", "c.yaml"].map((file) => ({ file, ...place }));
  expect(formatProblems(files, "again")).toContain("✗ a.yaml, b.yaml and c.yaml have 3 problems\n");
});
