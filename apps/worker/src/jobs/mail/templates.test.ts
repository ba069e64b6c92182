import fc from "fast-check";
import { expect, test } from "vitest";
import { writeMail } from "./templates.ts";

const data = {
  inviterName: "Ada",
  organizationName: "Acme",
  teamName: "Research",
  link: "https://gw.example.com/ui#token=x",
};

test("fills placeholders with stored values, and uses a dash for missing values", () => {
  expect(writeMail("invitation", data)).toEqual({
    subject: "You have been invited",
    text: expect.stringContaining("Ada invited you to Acme (team: Research)"),
  });
  expect(writeMail("invitation", data)?.text).toContain("\n\nhttps://gw.example.com/ui#token=x\n\n");
  expect(writeMail("invitation", {})?.text).toContain("- invited you to - (team: -)");
});

test("returns null for an email without a template", () => {
  for (const name of ["nothing", "toString", "__proto__", "constructor"]) expect(writeMail(name, data)).toBeNull();
});

test("a name cannot inject lines or links into an email", () => {
  const evil = "Bank\r\n\r\nClick https://evil.example/login or www.evil.example or mail a@evil.example now";
  const text = writeMail("member_added", { ...data, organizationName: evil })?.text;
  expect(text).toBe("Ada added you to the team Research in Bank Click … or … or mail … now.\n");
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (organizationName) => {
      const written = writeMail("member_added", { ...data, organizationName })?.text ?? "";
      expect(written.split("\n")).toHaveLength(2);
      expect(written).not.toContain("://");
    }),
  );
});

test("omits a link that is not a valid web URL", () => {
  for (const link of ["javascript:alert(1)", "/ui#token=x", "https://a b", "https://a\nb"]) {
    expect(writeMail("reset_password", { link })?.text).toContain("\n\n-\n\n");
  }
});
