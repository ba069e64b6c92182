import { test } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import { signedIn, startManaged } from "../manage.fixture.ts";

test("creates a team, updates its limits, and deletes the team and its keys", async ({ database }) => {
  const { cli } = await startManaged(database);
  const made = await cli.run(["teams", "create", "platform", "--cap", "500/month"]);
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^team_\w+\n$/) });
  expect(await cli.run(["team", "create", "platform"])).toMatchObject({ code: 2 });
  expect((await cli.run(["teams", "list"])).stdout).toMatch(
    /^(?:.*\n)*platform\tactive\tadmin\t1\t0\t\$500\.00 per month\t/,
  );
  const shown = await cli.run(["teams", "list"], { terminal: { columns: 60 } });
  expect(shown.stdout).toContain("\x1b[32mactive");
  expect((await cli.run(["teams", "update", "platform", "--name", "core", "--rpm", "10", "--cap", "none"])).code).toBe(
    0,
  );
  expect(await cli.json("teams", "show", "core")).toMatchObject({
    name: "core",
    budget: null,
    rateLimit: { rpm: 10 },
    members: [{ role: "admin" }],
  });
  await cli.run(["keys", "create", "of-core", "--team", "core", "-q"]);
  expect(await cli.run(["teams", "delete", "core"])).toMatchObject({ code: 2 });
  const deleted = await cli.run(["teams", "delete", "core", "--yes"]);
  expect(deleted.stderr).toBe("✓ Deleted team core and revoked 1 key\n");
  expect(await cli.run(["teams", "show", "core"])).toMatchObject({ code: 3 });
});

test("invites members, changes their roles, and removes them", async ({ database }) => {
  const { cli, platform, owner } = await startManaged(database);
  const guest = await platform.addUser();
  const theirs = signedIn(platform, guest);
  const invited = await cli.run(["teams", "invite", "Default", guest.email, "--role", "admin"]);
  expect(invited).toMatchObject({ code: 0, stderr: expect.stringContaining(`Invited ${guest.email} to team Default`) });
  const [sent] = (await cli.json("invitations", "list", "--sent")).data;
  expect(sent).toMatchObject({ email: guest.email, role: "admin", teamName: "Default", status: "pending" });
  const [received] = (await theirs.json("teams", "invitations")).data;
  expect(received.id).toBe(sent.id);
  expect((await theirs.run(["invitations", "accept", sent.id])).stderr).toContain("Joined team Default in");
  const team = await cli.json("teams", "show", "Default");
  expect(team.members).toEqual(
    expect.arrayContaining([expect.objectContaining({ email: guest.email, role: "admin" })]),
  );
  const screen = await cli.run(["teams", "show", "Default", "--no-color"], { terminal: { columns: 100 } });
  expect(screen.stdout).toMatch(new RegExp(`\\nEMAIL .*\\n(?:.*\\n)*${guest.email} +.* admin`));

  expect((await cli.run(["teams", "set-role", "Default", guest.email, "member"])).code).toBe(0);
  expect(await cli.run(["teams", "set-role", "Default", "nobody@x.org", "member"])).toMatchObject({ code: 3 });
  const removed = await cli.run(["teams", "remove-member", "Default", guest.email, "--yes"]);
  expect(removed.stderr).toContain(`Removed ${guest.email} from team Default`);
  // An organization member joins the team immediately.
  const added = await cli.run(["teams", "invite", "Default", guest.email]);
  expect(added.stderr).toContain(`Added ${guest.email} to team Default as`);

  expect((await cli.run(["members", "list"])).stdout).toContain(`${guest.email}\t`);
  expect(await cli.json("members", "set-role", guest.email, "admin")).toMatchObject({ role: "admin" });
  expect((await cli.run(["members", "remove", guest.email, "--yes", "--revoke-keys"])).code).toBe(0);
  expect((await cli.json("members", "list")).meta.total).toBe(1);

  await cli.run(["members", "invite", "later@example.org"]);
  await cli.run(["members", "invite", guest.email]);
  const pending = (await cli.json("invitations", "list", "--sent")).data;
  const idOf = (email: string) => pending.find((each: { email: string }) => each.email === email).id;
  expect((await cli.run(["invitations", "revoke", idOf("later@example.org")])).code).toBe(0);
  expect((await theirs.run(["invitations", "decline", idOf(guest.email)])).code).toBe(0);
  expect(owner.email).not.toBe(guest.email);
});

test("prints only a new webhook's secret to standard output, and deletes the webhook only after confirmation", async ({
  database,
}) => {
  const { cli } = await startManaged(database);
  const args = ["webhooks", "create", "https://hooks.example/in"];
  expect(await cli.run(args)).toMatchObject({ code: 2, stderr: expect.stringContaining("--event") });
  const made = await cli.run([...args, "--event", "balance.low", "--event", "team.blocked"]);
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^whsec_\S+\n$/) });
  const [hook] = (await cli.json("webhooks")).data;
  expect(hook).toMatchObject({ url: "https://hooks.example/in", events: ["balance.low", "team.blocked"] });
  expect(await cli.run(["webhooks", "delete", hook.id])).toMatchObject({ code: 2 });
  expect((await cli.run(["webhooks", "delete", hook.id, "-y"])).code).toBe(0);
  expect((await cli.run(["webhooks", "list"], { terminal: { columns: 80 } })).stderr).toContain("No webhooks yet");
});
