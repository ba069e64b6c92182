import { expect, test } from "vitest";
import { parse } from "yaml";
import { convertLitellmFile } from "./convert-litellm-file.ts";
import { describeLitellmFile, formatFileReport } from "./describe-litellm-file.ts";
import { litellmFile, loadText, loadValid } from "./load-for-test.ts";

function report(text: string, env: Readonly<Record<string, string>> = {}): string {
  const loaded = loadText(text, env, "config.yaml");
  if (loaded.kind === "refused") throw new Error(JSON.stringify(loaded.problems));
  return formatFileReport(describeLitellmFile("config.yaml", loaded));
}

test("reports which settings in a LiteLLM file work, which don't, and what to use instead", () => {
  expect(report(litellmFile.text, litellmFile.env)).toBe(`LiteLLM configuration detected

  model_list             5 deployments in 4 groups         ✓ 5   ! 2 ignored
  router_settings        routing_strategy, fallbacks, …    ✓ 7 of 7
  litellm_settings       drop_params, num_retries, …       ✓ 6   ! 3 ignored
  general_settings       master_key, database_url, …       ✓ 3   ! 3 ignored
  environment_variables  REDIS_HOST, REDIS_PORT            ✓ 2 of 2

  ! config.yaml:21  model_list[1].litellm_params.temperature
                    send this field in the request; deployments cannot set request fields
  ! config.yaml:22  model_list[1].litellm_params.max_retries
                    use num_retries
  ! config.yaml:52  litellm_settings.success_callback: ["langfuse"]
                    Python callbacks are not supported; create webhooks with the management API
  ! config.yaml:53  litellm_settings.set_verbose            use TOLLGATE_LOG_LEVEL instead
  ! config.yaml:54  litellm_settings.default_team_settings  set this value on the organization or team
  ! config.yaml:69  general_settings.alerting[0]: slack     not supported; supported values: webhook
  ! config.yaml:70  general_settings.use_google_kms         not supported; set the key in an environment variable
  ! config.yaml:71  general_settings.proxy_batch_write_at   not needed: the server sets buffer sizes and intervals
  ! config.yaml:73  files_settings                          deployments in model_list serve these operations

  Runs with 9 warnings. 9 settings have no effect. Convert:  tollgate config convert config.yaml > tollgate.yaml
`);
});

test("reports a native settings file as valid", () => {
  expect(
    report("billing: {provider: fake}\nrouter_settings: {num_retries: 1}\nguardrails: []"),
  ).toBe(`✓ config.yaml is valid

  router_settings  num_retries                       ✓ 1 of 1
  billing          provider                          ✓ 1 of 1
  guardrails       0 entries                         ✓ 0 of 0

  Runs as is.
`);
});

test("prints advice without counting it as a setting without effect", () => {
  const text = report("gw_settings: {}\ngeneral_settings: {master_key: sk-1234}");
  expect(text).toContain("  ! config.yaml:2  master_key                              it is shorter than 32 characters");
  expect(text).toContain("  Runs with 1 warning.\n");
});

test("a converted file keeps its meaning and its comments, and omits settings that have no effect", () => {
  const original = `# our gateway\n${litellmFile.text}`;
  const loaded = loadValid(original, litellmFile.env);
  const converted = convertLitellmFile(original, loaded.warnings);
  const again = loadValid(converted, litellmFile.env);
  expect(converted).toContain("# our gateway");
  expect(Object.keys(parse(converted))).toContain("gw_settings");
  // A name in a list stays, because the operator must decide whether to remove it.
  expect(again.warnings.map(({ path }) => path)).toEqual(["general_settings.alerting[0]"]);
  expect(again.settings.router).toEqual(loaded.settings.router);
  expect(again.settings.gateway).toEqual(loaded.settings.gateway);
  expect(again.settings.deployments.map(({ params }) => ({ ...params, shown: null }))).toEqual(
    loaded.settings.deployments.map(({ params }) => ({ ...params, shown: null })),
  );
});
