import { Secret } from "@tollgate/domain/secret.ts";
import { expect, test } from "vitest";
import { prepareVertex, vertexAddress } from "./vertex-address.ts";

const account = new Secret('{"project_id":"of-account"}');
const target = (options = {}, more = {}) => ({
  upstreamModel: "gemini-2.5-flash",
  options,
  apiKey: null,
  apiVersion: null,
  ...more,
});
const prefixOf = (settings: ReturnType<typeof target>) => prepareVertex(settings, "v1").path?.prefix;

test("each location has its own base URL", () => {
  const at = (location: string) => vertexAddress(target({ vertex_location: location }));
  expect(at("europe-west4")).toBe("https://europe-west4-aiplatform.googleapis.com");
  expect(at("global")).toBe("https://aiplatform.googleapis.com");
  expect(at("eu")).toBe("https://aiplatform.eu.rep.googleapis.com");
  expect(vertexAddress(target())).toBe("https://us-central1-aiplatform.googleapis.com");
});

test("the project and location come from the settings, or otherwise from the service account and the base URL", () => {
  expect(prefixOf(target({ vertex_project: "own", vertex_credentials: account }))).toBe(
    "/v1/projects/own/locations/us-central1",
  );
  const apiBase = "https://asia-east1-aiplatform.googleapis.com";
  expect(prefixOf(target({ vertex_credentials: account }, { apiBase }))).toBe(
    "/v1/projects/of-account/locations/asia-east1",
  );
  expect(prefixOf(target({}, { apiKey: account }))).toBe("/v1/projects/of-account/locations/us-central1");
  expect(prefixOf(target({ vertex_project: "a/../b", vertex_location: "c/d" }, { apiVersion: "v2" }))).toBe(
    "/v2/projects/a%2F..%2Fb/locations/c%2Fd",
  );
});
