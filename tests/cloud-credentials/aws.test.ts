import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { converseAnswer } from "@tollgate/testkit/amazon-event-stream.ts";
import type { FakeUpstream } from "@tollgate/testkit/fake-upstream.ts";
import { reply } from "@tollgate/testkit/upstream-behaviors.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect } from "vitest";
import { containerCredentials, instanceMetadata, securityTokenService } from "./fake-sources.ts";
import { test } from "./machine.fixture.ts";

const ROLE = "arn:aws:iam::123456789012:role/gateway";
const bedrock = (upstream: FakeUpstream, more = "") =>
  `model: "bedrock/amazon.nova-lite-v1:0", aws_region_name: eu-central-1, aws_bedrock_runtime_endpoint: "${upstream.origin}"${more}`;
const formOf = (body: Buffer) => Object.fromEntries(new URLSearchParams(body.toString()));

/** Expects that Bedrock received a request signed with these keys. */
async function expectSigned(upstream: FakeUpstream, index: number, name: string): Promise<void> {
  const { headers } = await upstream.ended(index);
  expect(headers.authorization).toContain(`Credential=AKID${name}/`);
  expect(headers["x-amz-security-token"]).toBe(`session-${name}`);
}

describe("Bedrock deployment without keys", () => {
  test("signs all calls with one credential of the container's role", async ({ machine, start, upstreams }) => {
    upstreams.alpha.behaves(containerCredentials("ECS"));
    upstreams.beta.replies(200, converseAnswer([{ text: "yes" }]));
    machine.set({
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${upstreams.alpha.origin}/credentials`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: "container-token",
    });
    const gateway = await start(bedrock(upstreams.beta));
    const answers = await Promise.all(Array.from({ length: 10 }, () => gateway.chat({ model: "cloud" })));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    await expectSigned(upstreams.beta, 0, "ECS");
    await expectSigned(upstreams.beta, 9, "ECS");
    expect(upstreams.alpha.requests).toHaveLength(1);
    expect(upstreams.alpha.requests[0]?.headers.authorization).toBe("container-token");
  });

  test("replaces a credential that is about to expire", async ({ machine, start, upstreams }) => {
    upstreams.alpha.behaves(containerCredentials("OLD", 5_000), containerCredentials("NEW"));
    upstreams.beta.replies(200, converseAnswer([{ text: "yes" }]));
    machine.set({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${upstreams.alpha.origin}/credentials` });
    const gateway = await start(bedrock(upstreams.beta));
    await waitFor("a call with the new credential", async () => {
      expect((await gateway.chat({ model: "cloud" })).status).toBe(200);
      return String(upstreams.beta.requests.at(-1)?.headers.authorization).includes("AKIDNEW");
    });
    expect(upstreams.alpha.requests).toHaveLength(2);
  });

  test.for([
    [401, "UnknownOperationException", "NEW"],
    [403, "ExpiredTokenException", "NEW"],
    [403, "UnrecognizedClientException:http://internal.amazon.com/coral/com.amazon.coral.service/", "NEW"],
    [403, "com.amazon.coral.service#InvalidClientTokenId", "NEW"],
    [403, "AccessDeniedException", "OLD"],
    [400, "ValidationException", "OLD"],
  ] as const)(
    "after a response with %d and %s, signs the next call with the credential %s",
    async ([status, name, expected], { machine, start, upstreams }) => {
      upstreams.alpha.behaves(containerCredentials("OLD"), containerCredentials("NEW"));
      upstreams.beta.behaves(
        reply(status, { message: "no" }, { "x-amzn-errortype": name }),
        reply(200, converseAnswer([{ text: "yes" }])),
      );
      machine.set({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${upstreams.alpha.origin}/credentials` });
      const gateway = await start(bedrock(upstreams.beta));
      expect((await gateway.chat({ model: "cloud" })).status).not.toBe(200);
      expect((await gateway.chat({ model: "cloud" })).status).toBe(200);
      await expectSigned(upstreams.beta, 0, "OLD");
      await expectSigned(upstreams.beta, 1, expected);
    },
  );

  test("uses the role of the virtual machine", async ({ machine, start, upstreams }) => {
    upstreams.alpha.behaves(instanceMetadata("EC2"));
    upstreams.beta.replies(200, converseAnswer([{ text: "yes" }]));
    machine.set({ AWS_EC2_METADATA_DISABLED: "false", AWS_EC2_METADATA_SERVICE_ENDPOINT: upstreams.alpha.origin });
    const gateway = await start(bedrock(upstreams.beta));
    expect((await gateway.chat({ model: "cloud" })).status).toBe(200);
    await expectSigned(upstreams.beta, 0, "EC2");
  });

  test("uses the web identity that Kubernetes puts into the environment", async ({ machine, start, upstreams }) => {
    upstreams.alpha.behaves(securityTokenService("AssumeRoleWithWebIdentity", "POD"));
    upstreams.beta.replies(200, converseAnswer([{ text: "yes" }]));
    const file = join(machine.home, "token");
    writeFileSync(file, "pod-identity-token");
    machine.set({
      AWS_ENDPOINT_URL_STS: upstreams.alpha.origin,
      AWS_WEB_IDENTITY_TOKEN_FILE: file,
      AWS_ROLE_ARN: ROLE,
    });
    const gateway = await start(bedrock(upstreams.beta));
    expect((await gateway.chat({ model: "cloud" })).status).toBe(200);
    await expectSigned(upstreams.beta, 0, "POD");
    expect(formOf((await upstreams.alpha.ended(0)).body)).toMatchObject({ WebIdentityToken: "pod-identity-token" });
  });

  test("assumes the role in the settings with the keys in the settings", async ({ machine, start, upstreams }) => {
    upstreams.alpha.behaves(securityTokenService("AssumeRole", "ROLE"));
    upstreams.beta.replies(200, converseAnswer([{ text: "yes" }]));
    machine.set({ AWS_ENDPOINT_URL_STS: upstreams.alpha.origin });
    const keys = `aws_access_key_id: AKIDOWN, aws_secret_access_key: own-secret`;
    const gateway = await start(
      bedrock(upstreams.beta, `, ${keys}, aws_role_name: "${ROLE}", aws_session_name: billing`),
    );
    expect((await gateway.chat({ model: "cloud" })).status).toBe(200);
    await expectSigned(upstreams.beta, 0, "ROLE");
    const { headers, body } = await upstreams.alpha.ended(0);
    expect(headers.authorization).toContain("Credential=AKIDOWN/");
    expect(formOf(body)).toMatchObject({ Action: "AssumeRole", RoleArn: ROLE, RoleSessionName: "billing" });
  });

  test("assumes the role in the settings with a web identity token from a file", async ({
    machine,
    start,
    upstreams,
  }) => {
    upstreams.alpha.behaves(securityTokenService("AssumeRoleWithWebIdentity", "WEB"));
    upstreams.beta.replies(200, converseAnswer([{ text: "yes" }]));
    machine.set({ AWS_ENDPOINT_URL_STS: upstreams.alpha.origin });
    const file = join(machine.home, "token");
    writeFileSync(file, "token-in-a-file\n");
    const gateway = await start(
      bedrock(upstreams.beta, `, aws_role_name: "${ROLE}", aws_web_identity_token: "oidc/file/${file}"`),
    );
    expect((await gateway.chat({ model: "cloud" })).status).toBe(200);
    await expectSigned(upstreams.beta, 0, "WEB");
    expect(formOf((await upstreams.alpha.ended(0)).body)).toMatchObject({
      Action: "AssumeRoleWithWebIdentity",
      WebIdentityToken: "token-in-a-file",
      RoleSessionName: "tollgate",
    });
  });

  test("uses the profile in the settings", async ({ machine, start, upstreams }) => {
    upstreams.beta.replies(200, converseAnswer([{ text: "yes" }]));
    const file = join(machine.home, "credentials");
    const keys = "aws_access_key_id=AKIDPROFILE\naws_secret_access_key=s\naws_session_token=session-PROFILE";
    writeFileSync(file, `[billing]\n${keys}\n`);
    machine.set({ AWS_SHARED_CREDENTIALS_FILE: file });
    const gateway = await start(bedrock(upstreams.beta, ", aws_profile_name: billing"));
    expect((await gateway.chat({ model: "cloud" })).status).toBe(200);
    await expectSigned(upstreams.beta, 0, "PROFILE");
  });

  test("fails with 503 without contacting Bedrock if the source fails, and recovers with the source", async ({
    machine,
    start,
    upstreams,
  }) => {
    upstreams.alpha.behaves(reply(403, { Code: "AccessDenied", Message: "role arn:aws:iam::1:role/hidden denied" }));
    upstreams.beta.replies(200, converseAnswer([{ text: "yes" }]));
    machine.set({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${upstreams.alpha.origin}/credentials` });
    const gateway = await start(bedrock(upstreams.beta));
    const answer = await gateway.chat({ model: "cloud" });
    const body = await answer.text();
    expect(answer.status).toBe(503);
    expect(JSON.parse(body).error).toMatchObject({
      code: "credentials_unavailable",
      message: "The gateway could not get AWS credentials for this model.",
    });
    expect(body).not.toContain("hidden");
    expect(upstreams.beta.requests).toHaveLength(0);

    upstreams.alpha.behaves(containerCredentials("BACK"));
    expect((await gateway.chat({ model: "cloud" })).status).toBe(200);
    await expectSigned(upstreams.beta, 0, "BACK");
  });

  test("never lets a request choose the credential", async ({ machine, start, upstreams }) => {
    upstreams.alpha.behaves(containerCredentials("ECS"));
    machine.set({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${upstreams.alpha.origin}/credentials` });
    const gateway = await start(bedrock(upstreams.beta));
    for (const name of ["aws_role_name", "aws_session_name", "aws_profile_name", "aws_web_identity_token"]) {
      const answer = await gateway.chat({ model: "cloud", [name]: "chosen" });
      expect([name, answer.status]).toEqual([name, 400]);
    }
    expect(upstreams.beta.requests).toHaveLength(0);
  });
});
