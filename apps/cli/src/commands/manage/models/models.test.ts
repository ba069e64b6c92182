import { test } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import { testCli } from "../../../cli.fixture.ts";
import { startManaged } from "../manage.fixture.ts";

const model = (id: string, provider: string, input: bigint | null) => ({
  id,
  mode: "chat",
  provider,
  contextWindow: 200_000,
  maxOutputTokens: null,
  capabilities: [],
  inputModalities: ["text"],
  outputModalities: ["text"],
  price:
    input === null
      ? null
      : {
          inputPerMillionTokens: input,
          outputPerMillionTokens: input * 5n,
          cachedInputPerMillionTokens: null,
          perImage: null,
          perAudioSecond: null,
          perMillionCharacters: null,
        },
});

const models = [
  model("example-large", "provider-a", 3_000_000_000n),
  model("example-small", "provider-a", 250_000_000n),
  model("sim/echo", "simulated", null),
];

const services = {
  models: {
    list: () => models as never,
    has: (name: string) => models.some(({ id }) => id === name),
    kinds: () => [],
  },
};

test("lists, shows, and compares models, whether or not the user is signed in", async ({ database }) => {
  const { cli, platform } = await startManaged(database, { services });
  const stranger = testCli({ env: { TOLLGATE_URL: platform.url } });
  for (const each of [cli, stranger]) {
    const piped = await each.run(["models", "list", "--sort", "-inputPrice"]);
    expect(piped.stdout.split("\n").slice(0, 2)).toEqual([
      "example-large\tprovider-a\tchat\t200K\t3.00\t15.00\t–",
      "example-small\tprovider-a\tchat\t200K\t0.25\t1.25\t–",
    ]);
  }
  const some = await stranger.run(["models", "list", "--search", "example", "-n", "1", "--no-color"], {
    terminal: { columns: 80 },
  });
  expect(some.stdout.split("\n")[0]).toMatch(/^MODEL +PROVIDER +MODE +CONTEXT +\$\/1M IN +\$\/1M OUT +TTFT$/);
  expect(some.stderr).toBe("1 of 2 models · tollgate models list --search example --all\n");
  const narrow = await stranger.run(["models", "list", "--no-color"], { terminal: { columns: 50 } });
  expect(narrow.stdout.split("\n")[0]).toMatch(/^MODEL +PROVIDER +\$\/1M IN +\$\/1M OUT$/);
  const filtered = await stranger.run(["model", "list", "--provider", "simulated", "--jq", ".data[].id"]);
  expect(filtered.stdout).toBe("sim/echo\n");

  expect((await stranger.run(["models", "show", "sim/echo"])).stdout).toMatch(
    /^model\tsim\/echo\nprovider\tsimulated\n/,
  );
  expect(await stranger.run(["models", "show", "sim/nothing"])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("tollgate models list"),
  });
  const compared = await stranger.run(["models", "compare", "example-large", "example-small", "--no-color"], {
    terminal: { columns: 120 },
  });
  expect(compared.stdout.split("\n")[0]).toMatch(/ example-large +example-small$/);
  expect(compared.stdout).toMatch(/\ninput price +\$3\.00 per million tokens +\$0\.25 per million tokens\n/);
  const json = await stranger.run(["models", "compare", "example-large", "sim/echo", "--json=id,provider"]);
  expect(JSON.parse(json.stdout).data).toEqual([
    { id: "example-large", provider: "provider-a" },
    { id: "sim/echo", provider: "simulated" },
  ]);
  expect(await stranger.run(["models", "compare", "sim/echo"])).toMatchObject({ code: 2 });
  expect((await stranger.run(["providers", "list"])).code).toBe(0);
  expect(await stranger.run(["balance"])).toMatchObject({ code: 4, stderr: expect.stringContaining("tollgate login") });
});
