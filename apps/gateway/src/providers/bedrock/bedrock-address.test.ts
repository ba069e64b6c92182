import { loadCatalog } from "@tollgate/catalog/catalog.ts";
import { describe, expect, test } from "vitest";
import { factsOfModel } from "../../models/model-facts.ts";
import { bedrockAddress, modelPath, regionOf } from "./bedrock-address.ts";

const CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
const profile = `arn:aws:bedrock:eu-west-1:123456789012:inference-profile/${CLAUDE}`;
const target = (upstreamModel: string, options = {}) => ({ upstreamModel, options, apiKey: null, apiVersion: null });

test.for([
  [CLAUDE, {}, "us-west-2"],
  [CLAUDE, { aws_region_name: "eu-central-1" }, "eu-central-1"],
  [profile, {}, "eu-west-1"],
  ["converse/us-gov-west-1/anthropic.claude-v2:1", {}, "us-gov-west-1"],
])("sends requests for '%s' with %o to region %s", ([model, options, region]) => {
  expect(regionOf(target(model as string, options as object))).toBe(region);
});

test("reads the signing region from an Amazon base URL", () => {
  const apiBase = "https://bedrock-runtime-fips.us-east-2.amazonaws.com";
  expect(regionOf({ ...target(CLAUDE), apiBase })).toBe("us-east-2");
});

test("each region has its own base URL, unless the settings override it", () => {
  const at = (region: string) => bedrockAddress(target(CLAUDE, { aws_region_name: region }));
  expect(at("eu-central-1")).toBe("https://bedrock-runtime.eu-central-1.amazonaws.com");
  expect(at("cn-north-1")).toBe("https://bedrock-runtime.cn-north-1.amazonaws.com.cn");
  expect(bedrockAddress(target(CLAUDE, { aws_bedrock_runtime_endpoint: "https://vpce.example" }))).toBe(
    "https://vpce.example",
  );
});

test("escapes the model name in the path", () => {
  expect(modelPath(profile, "converse")).toBe(`/model/${encodeURIComponent(profile)}/converse`);
  expect(modelPath("us-east-1/../../x?y#z", "converse")).toBe("/model/..%2F..%2Fx%3Fy%23z/converse");
});

describe("Bedrock model price", () => {
  const catalog = loadCatalog();
  const known = factsOfModel([`bedrock/${CLAUDE}`], catalog).price;
  test.for([`bedrock/converse/${CLAUDE}`, `bedrock/us-east-1/${CLAUDE}`, `bedrock/${profile}`])(
    "is found by the name %s",
    (name) => {
      expect(known).not.toBeNull();
      expect(factsOfModel([name], catalog).price).toEqual(known);
    },
  );

  test("is null for an application inference profile, unless the settings define a price", () => {
    const own = "bedrock/arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/abc123";
    expect(factsOfModel([own], catalog).price).toBeNull();
  });
});
