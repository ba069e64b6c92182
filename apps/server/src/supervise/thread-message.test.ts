import { Secret } from "@tollgate/domain/secret.ts";
import { defaultPlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import { expect, test } from "vitest";
import { readMessage, writeMessage } from "./thread-message.ts";

test("settings are the same in another thread, with their secrets", () => {
  const settings = {
    ...defaultPlatformSettings,
    mail: { url: new Secret("smtp://user:password@mail.test"), from: "Tollgate <no-reply@test>" },
    billing: { ...defaultPlatformSettings.billing, stripeWebhookSecrets: [new Secret("one"), new Secret("two")] },
  };
  const received = readMessage(structuredClone(writeMessage(settings))) as typeof settings;
  expect(received.mail.url).toBeInstanceOf(Secret);
  expect(received.mail.url.reveal()).toBe("smtp://user:password@mail.test");
  expect(received.billing.stripeWebhookSecrets.map((secret) => secret.reveal())).toEqual(["one", "two"]);
  expect(received.limits).toEqual(defaultPlatformSettings.limits);
});
