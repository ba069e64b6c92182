import { hash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { escapeQuery, RequestSigner, type SignableRequest } from "./aws-request-signer.ts";

/** Credentials, scope, and time from Amazon's published test suite for request signatures. */
const credentials = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  sessionToken: null,
};
const TIME = new Date("2015-08-30T12:36:00Z");
const sha256 = (text: string) => hash("sha256", text, "hex");
const bodySha256 = sha256("");
const nothing = { query: [], headers: [], bodySha256 } as const;
const host = "example.amazonaws.com";

describe("request signature", () => {
  test.for<[string, SignableRequest, string]>([
    [
      "get-vanilla",
      { method: "GET", host, path: "/", ...nothing },
      "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
    ],
    [
      "post-vanilla",
      { method: "POST", host, path: "/", ...nothing },
      "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
    ],
    [
      "get-utf8",
      { method: "GET", host, path: "/ሴ", ...nothing },
      "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85",
    ],
    [
      "get-unreserved",
      {
        method: "GET",
        host,
        path: "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
        ...nothing,
      },
      "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f",
    ],
    [
      "post-x-www-form-urlencoded",
      {
        method: "POST",
        host,
        path: "/",
        query: [],
        headers: [["content-type", "application/x-www-form-urlencoded"]],
        bodySha256: sha256("Param1=value1"),
      },
      "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
    ],
    [
      "get-vanilla-query-order-key-case",
      {
        method: "GET",
        host,
        path: "/",
        query: [
          ["Param2", "value2"],
          ["Param1", "value1"],
        ],
        headers: [],
        bodySha256,
      },
      "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
    ],
  ])("matches Amazon's published test vector %s", ([, request, signature]) => {
    const names = [...request.headers.map(([name]) => name), "host", "x-amz-date"].join(";");
    expect(new RequestSigner(credentials, "us-east-1", "service").sign(request, TIME)).toEqual([
      "x-amz-date",
      "20150830T123600Z",
      "authorization",
      `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=${names}, Signature=${signature}`,
    ]);
  });
});

test("derives a new signing key for each day", () => {
  const signer = new RequestSigner(credentials, "us-east-1", "bedrock");
  const request = { method: "POST", host, path: "/", ...nothing };
  const later = new Date("2015-08-31T00:00:00Z");
  signer.sign(request, TIME);
  expect(signer.sign(request, later)).toEqual(
    new RequestSigner(credentials, "us-east-1", "bedrock").sign(request, later),
  );
});

test("signs the session token, and escapes the already escaped path a second time", () => {
  const signer = new RequestSigner({ ...credentials, sessionToken: "token" }, "eu-central-1", "bedrock");
  const path = `/model/${encodeURIComponent("eu.anthropic.claude-sonnet-4-5-20250929-v1:0")}/converse`;
  const request: SignableRequest = {
    method: "POST",
    host: "bedrock-runtime.eu-central-1.amazonaws.com",
    path,
    query: [],
    headers: [["content-type", "application/json"]],
    bodySha256: sha256('{"messages":[]}'),
  };
  const [, , tokenName, token, , authorization] = signer.sign(request, new Date("2026-11-15T22:00:00Z"));
  expect([tokenName, token]).toEqual(["x-amz-security-token", "token"]);
  // The signature that Amazon's library produces.
  expect(authorization).toContain(
    "SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, Signature=7fbb76c7e122c78078767e82139e5403cb3e019036d494b39dcca8094cb3dcef",
  );
});

test("escapes the path once and the query in order for S3, as in Amazon's published example", () => {
  const s3 = new RequestSigner(
    {
      accessKeyId: "AKIAIOSFODNN7EXAMPLE",
      secretAccessKey: credentials.secretAccessKey.replace("+b", "/b"),
      sessionToken: null,
    },
    "us-east-1",
    "s3",
  );
  const request: SignableRequest = {
    method: "GET",
    host: "examplebucket.s3.amazonaws.com",
    path: "/",
    query: [
      ["prefix", "J"],
      ["max-keys", "2"],
    ],
    headers: [["x-amz-content-sha256", bodySha256]],
    bodySha256,
  };
  expect(s3.sign(request, new Date("2013-05-24T00:00:00Z")).at(-1)).toContain(
    "Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
  );
});

test("orders a query by names first, and by values only within a name", () => {
  const query = [
    ["a-b", "1"],
    ["a", "3"],
    ["a", "2"],
    ["a.b", "1"],
    ["B", "1"],
  ] as const;
  expect(escapeQuery(query)).toBe("B=1&a=2&a=3&a-b=1&a.b=1");
});
