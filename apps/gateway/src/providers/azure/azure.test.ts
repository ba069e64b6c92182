import { Secret } from "@tollgate/domain/secret.ts";
import { describe, expect, test } from "vitest";
import { recordedAnswer, recordedWires } from "../openai/wires.fixture.ts";
import type { Provider, TargetSettings } from "../provider.ts";
import { providers } from "../registry.ts";
import { askGateway, type ChatBody, SOME_KEY } from "../second-opinion.fixture.ts";

const azure = providers.get("azure") as Provider;
const body: ChatBody = { messages: [{ role: "user", content: "hello" }] };
const recorded = { json: recordedAnswer(recordedWires.azure as never) };
const ask = (settings: Partial<TargetSettings>) =>
  askGateway(azure, { upstreamModel: "my-gpt", apiBase: "https://acme.openai.azure.com", ...settings }, body, recorded);

describe("the path", () => {
  const resource = "https://acme.openai.azure.com";
  const dated = `${resource}/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21`;
  const undated = `${resource}/openai/v1/chat/completions`;
  const gateway = "https://apim.example/east/openai/deployments";

  test.for([
    [resource, "2024-10-21", dated],
    [`${resource}/`, "2024-10-21", dated],
    [`${resource}/openai`, "2024-10-21", dated],
    [`${gateway}/my-gpt`, "2024-10-21", `${gateway}/my-gpt/chat/completions?api-version=2024-10-21`],
    [`${gateway}/other`, "2024-10-21", `${gateway}/other/chat/completions?api-version=2024-10-21`],
    [resource, null, undated],
    [resource, "v1", undated],
    [resource, "latest", undated],
    [resource, "preview", `${undated}?api-version=preview`],
    [`${resource}/openai/v1/`, null, undated],
    [`${resource}/openai/v1`, "2024-10-21", undated],
    [`${resource}/openai`, null, undated],
  ] as const)("under %s with version %s", ([apiBase, apiVersion, url]) => {
    expect(ask({ apiBase, apiVersion }).url).toBe(url);
  });

  test("cannot be left by the name of a deployment or of a version", () => {
    const { url } = ask({ upstreamModel: "../../x?y#z", apiVersion: "1&admin=true" });
    expect(url).toBe(
      "https://acme.openai.azure.com/openai/deployments/..%2F..%2Fx%3Fy%23z/chat/completions?api-version=1%26admin%3Dtrue",
    );
  });
});

describe("the credential", () => {
  test("is a key in a header of its own", () => {
    const { headers } = ask({});
    expect(headers["api-key"]).toBe(SOME_KEY);
    expect(headers).not.toHaveProperty("authorization");
  });

  test("is a token where there is one", () => {
    const { headers } = ask({ options: { azure_ad_token: new Secret("token-of-entra") } });
    expect(headers.authorization).toBe("Bearer token-of-entra");
    expect(headers).not.toHaveProperty("api-key");
  });
});

test("the deployment is named in the body too, which the newer form goes by", () => {
  expect(ask({}).body).toEqual({ model: "my-gpt", ...body });
});

test("an answer for an unknown deployment says that the model does not exist", () => {
  const error = {
    error: { code: "DeploymentNotFound", message: "The API deployment for this resource does not exist." },
  };
  expect(azure.readFailure(404, {}, JSON.stringify(error)).code).toBe("model_not_found");
});
