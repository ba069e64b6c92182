import { Secret } from "@tollgate/domain/secret.ts";
import { describe, expect, test } from "vitest";
import type { Provider, TargetSettings } from "../../call/provider.ts";
import type { ChatBody } from "../library-options.fixture.ts";
import { recordedAnswer, recordedWires } from "../openai/wires.fixture.ts";
import { providers } from "../registry.ts";
import { askGateway, SOME_KEY } from "../second-opinion.fixture.ts";

const azure = providers.get("azure") as Provider;
const body: ChatBody = { messages: [{ role: "user", content: "hello" }] };
const recorded = { json: recordedAnswer(recordedWires.azure as never) };
const ask = (settings: Partial<TargetSettings>) =>
  askGateway(azure, { upstreamModel: "my-gpt", apiBase: "https://acme.openai.azure.com", ...settings }, body, recorded);

describe("Azure URL", () => {
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
  ] as const)("is correct for base URL %s and API version %s", ([apiBase, apiVersion, url]) => {
    expect(ask({ apiBase, apiVersion }).url).toBe(url);
  });

  test("escapes the deployment name and the API version", () => {
    const { url } = ask({ upstreamModel: "../../x?y#z", apiVersion: "1&admin=true" });
    expect(url).toBe(
      "https://acme.openai.azure.com/openai/deployments/..%2F..%2Fx%3Fy%23z/chat/completions?api-version=1%26admin%3Dtrue",
    );
  });
});

describe("Azure credential", () => {
  test("is sent as an API key in the api-key header", () => {
    const { headers } = ask({});
    expect(headers["api-key"]).toBe(SOME_KEY);
    expect(headers).not.toHaveProperty("authorization");
  });

  test("is sent as a bearer token if an Entra ID token is configured", () => {
    const { headers } = ask({ options: { azure_ad_token: new Secret("token-of-entra") } });
    expect(headers.authorization).toBe("Bearer token-of-entra");
    expect(headers).not.toHaveProperty("api-key");
  });
});

test("sends the deployment name in the body, as the v1 API requires", () => {
  expect(ask({}).body).toEqual({ model: "my-gpt", ...body });
});

test("maps the unknown-deployment error to model_not_found", () => {
  const error = {
    error: { code: "DeploymentNotFound", message: "The API deployment for this resource does not exist." },
  };
  expect(azure.readFailure(404, {}, JSON.stringify(error)).code).toBe("model_not_found");
});
