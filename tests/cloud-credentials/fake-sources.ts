import { type Behavior, reply } from "@tollgate/testkit/upstream-behaviors.ts";

const HOUR_MS = 3_600_000;

/** Returns the time at which a credential expires, as the sources write it. */
const expiryOf = (lifetimeMs: number): string => new Date(Date.now() + lifetimeMs).toISOString();

/** Sends the response of the first path that the request's path starts with. Other paths get 404. */
export function routes(byPath: Readonly<Record<string, Behavior>>): Behavior {
  return (exchange) => {
    const path = Object.keys(byPath).find((start) => exchange.request.path.startsWith(start));
    const behavior = path === undefined ? reply(404, "") : (byPath[path] as Behavior);
    return behavior(exchange);
  };
}

/** The credentials endpoint of Amazon ECS and EKS Pod Identity. */
export function containerCredentials(name: string, lifetimeMs = HOUR_MS): Behavior {
  return reply(200, {
    AccessKeyId: `AKID${name}`,
    SecretAccessKey: `secret-${name}`,
    Token: `session-${name}`,
    Expiration: expiryOf(lifetimeMs),
  });
}

/** The metadata service of Amazon EC2, version 2. */
export function instanceMetadata(name: string): Behavior {
  return routes({
    "/latest/api/token": reply(200, "metadata-token", {
      "content-type": "text/plain",
      "x-aws-ec2-metadata-token-ttl-seconds": "21600",
    }),
    [`/latest/meta-data/iam/security-credentials/role-${name}`]: reply(200, {
      Code: "Success",
      Type: "AWS-HMAC",
      LastUpdated: new Date().toISOString(),
      AccessKeyId: `AKID${name}`,
      SecretAccessKey: `secret-${name}`,
      Token: `session-${name}`,
      Expiration: expiryOf(HOUR_MS),
    }),
    "/latest/meta-data/iam/security-credentials/": reply(200, `role-${name}`, { "content-type": "text/plain" }),
  });
}

/** AWS STS, which answers in XML. */
export function securityTokenService(action: "AssumeRole" | "AssumeRoleWithWebIdentity", name: string): Behavior {
  const xml = `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <${action}Result>
    <AssumedRoleUser>
      <Arn>arn:aws:sts::123456789012:assumed-role/gateway/${name}</Arn>
      <AssumedRoleId>AROAEXAMPLE:${name}</AssumedRoleId>
    </AssumedRoleUser>
    <Credentials>
      <AccessKeyId>AKID${name}</AccessKeyId>
      <SecretAccessKey>secret-${name}</SecretAccessKey>
      <SessionToken>session-${name}</SessionToken>
      <Expiration>${expiryOf(HOUR_MS)}</Expiration>
    </Credentials>
  </${action}Result>
  <ResponseMetadata><RequestId>c6104cbe-af31-11e0-8154-cbc7ccf896c7</RequestId></ResponseMetadata>
</${action}Response>`;
  return reply(200, xml, { "content-type": "text/xml" });
}

/** The metadata server of Google Cloud. */
export function googleMetadata(token: string, project: string): Behavior {
  const flavor = { "metadata-flavor": "Google" };
  return routes({
    "/computeMetadata/v1/instance/service-accounts/default/token": reply(
      200,
      { access_token: token, expires_in: 3_599, token_type: "Bearer" },
      flavor,
    ),
    "/computeMetadata/v1/project/project-id": reply(200, project, { ...flavor, "content-type": "text/plain" }),
    "/computeMetadata/v1/universe/universe-domain": reply(200, "googleapis.com", {
      ...flavor,
      "content-type": "text/plain",
    }),
    "/computeMetadata/v1/instance": reply(200, {}, flavor),
  });
}

/** The managed identity endpoint of Azure App Service and Container Apps. */
export function managedIdentity(token: string): Behavior {
  return reply(200, {
    access_token: token,
    expires_on: String(Math.floor((Date.now() + HOUR_MS) / 1_000)),
    resource: "https://cognitiveservices.azure.com",
    token_type: "Bearer",
    client_id: "00000000-0000-0000-0000-000000000001",
  });
}
