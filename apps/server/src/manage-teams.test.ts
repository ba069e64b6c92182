import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect } from "vitest";
import { test } from "./managed-platform.fixture.ts";

const refused = (status: number, code: string) => ({ status, body: { error: { code } } });

test("a team can be created and updated, is listed on the platform, and is deleted together with its keys", async ({
  scene,
  upstream,
}) => {
  const { call } = scene;
  const ada = await scene.addPerson();
  await scene.hosted.addCredit(ada, 1_000_000_000n);
  upstream.replies(200, chatAnswer({ inputTokens: 1, outputTokens: 1 }));
  const made = await call("POST", "/team/new", ada.managing, {
    team_alias: "research",
    models: ["metered"],
    max_budget: 12.345678901,
    budget_duration: "1mo",
    tpm_limit: 1_000,
    metadata: { cost_center: 7 },
    tags: ["paid"],
    members_with_roles: [{ user_id: String(ada.userId), role: "admin" }],
  });
  expect(made.status, made.text).toBe(200);
  expect(made.body).toMatchObject({
    team_alias: "research",
    organization_id: ada.organizationId,
    max_budget: 12.345678901,
    budget_duration: "1mo",
    tpm_limit: 1_000,
    metadata: { cost_center: 7 },
    members_with_roles: [{ user_id: String(ada.userId), user_email: ada.email, role: "admin" }],
  });
  const teamId = made.body.team_id as string;
  const shown = await scene.hosted.api("GET", `/api/gw/teams/${teamId}`, { token: ada.token });
  expect(shown.body.team).toMatchObject({
    name: "research",
    budget: { limit: 12_345_678_901, period: "monthly" },
    rateLimit: { tpm: 1_000 },
    models: ["metered"],
  });
  expect(await call("POST", "/team/new", ada.managing, { team_alias: "Research" })).toMatchObject(
    refused(409, "conflict"),
  );
  expect(await call("POST", "/team/new", ada.managing, { team_alias: "mine", team_id: "mine" })).toMatchObject({
    status: 400,
    body: { error: { code: "invalid_request", param: "team_id" } },
  });
  const changed = await call("POST", "/team/update", ada.managing, { team_id: teamId, rpm_limit: 5, models: null });
  expect(changed.body.data).toEqual({ ...changed.body, data: undefined });
  expect(changed.body).toMatchObject({ rpm_limit: 5, models: [], tpm_limit: 1_000, max_budget: 12.345678901 });

  const key = await call("POST", "/key/generate", ada.managing, { team_id: teamId });
  expect((await scene.chat(key.body.key)).status).toBe(200);
  const info = await call("GET", `/team/info?team_id=${teamId}`, ada.managing);
  expect(info.body).toMatchObject({ team_id: teamId, keys: [{ token: key.body.token }] });
  const listed = await call("GET", "/team/list?page_size=1", ada.managing);
  expect(listed.body.map(({ team_id }: { team_id: string }) => team_id)).toEqual([teamId]);
  expect(listed.headers.get("x-gw-total-count")).toBe("2");

  expect((await call("POST", "/team/delete", ada.managing, { team_ids: [teamId] })).status).toBe(200);
  await waitFor("its keys to end", async () => (await scene.chat(key.body.key)).status === 401);
  expect((await scene.audited("team.created", teamId)).length).toBe(1);
  expect((await scene.audited("team.updated", teamId)).length).toBe(1);
  expect(await scene.audited("team.deleted", teamId)).toMatchObject([{ after: { revokedKeys: [key.body.token_id] } }]);
});

test("only the operator can block a team, and the team's calls are refused until it is unblocked", async ({
  scene,
  upstream,
}) => {
  const { call } = scene;
  const ada = await scene.addPerson();
  await scene.hosted.addCredit(ada, 1_000_000_000n);
  upstream.replies(200, chatAnswer({ inputTokens: 1, outputTokens: 1 }));
  const { token } = await scene.hosted.createKey(ada);
  const body = { team_id: ada.teamId };
  expect(await call("POST", "/team/block", ada.managing, body)).toMatchObject(refused(403, "admin_only"));
  expect((await call("POST", "/team/block", scene.master, body)).body).toMatchObject({ blocked: true });
  await waitFor("the block", async () => (await scene.chat(token)).body.error?.code === "TEAM_BLOCKED");
  expect((await call("POST", "/team/unblock", scene.master, body)).body).toMatchObject({ blocked: false });
  await waitFor("the team to work again", async () => (await scene.chat(token)).status === 200);
});

test("members can be added, updated, and removed, and requests for users and teams in other organizations return 404", async ({
  scene,
}) => {
  const { call } = scene;
  const owner = await scene.addPerson();
  const mate = await scene.addPerson();
  const member = { user_email: mate.email, role: "user" };
  const add = (fields: object = member) =>
    call("POST", "/team/member_add", owner.managing, { team_id: owner.teamId, member: fields });
  expect(await add()).toMatchObject(refused(404, "not_found"));
  await scene.join(owner.organizationId, mate.userId, "member");
  const added = await add();
  expect(added.body.members_with_roles).toEqual([
    { user_id: String(owner.userId), user_email: owner.email, role: "admin" },
    { user_id: String(mate.userId), user_email: mate.email, role: "user" },
  ]);
  expect(await add()).toMatchObject(refused(409, "conflict"));
  const change = { team_id: owner.teamId, user_id: String(mate.userId), role: "admin" };
  const changed = await call("POST", "/team/member_update", owner.managing, change);
  expect(changed.body.members_with_roles[1]).toMatchObject({ role: "admin" });
  expect(await call("POST", "/team/member_update", owner.managing, { ...change, max_budget_in_team: 3 })).toMatchObject(
    refused(400, "invalid_request"),
  );

  // The new administrator manages this team, but neither the organization nor other teams.
  const leading = await scene.managingKey(mate.userId, owner.teamId);
  expect((await call("POST", "/team/update", leading, { team_id: owner.teamId, rpm_limit: 9 })).status).toBe(200);
  expect(await call("POST", "/team/new", leading, { team_alias: "mine" })).toMatchObject(refused(403, "admin_only"));
  expect(await call("POST", "/team/delete", leading, { team_ids: [owner.teamId] })).toMatchObject(
    refused(403, "admin_only"),
  );
  for (const path of ["/team/update", "/team/block"]) {
    expect(await call("POST", path, leading, { team_id: mate.teamId, rpm_limit: 1 })).toMatchObject({
      status: path === "/team/update" ? 404 : 400,
    });
  }
  expect(await call("GET", `/team/info?team_id=${mate.teamId}`, leading)).toMatchObject(refused(404, "not_found"));
  expect((await call("GET", "/team/list", leading)).body).toMatchObject([{ team_id: owner.teamId }]);

  const gone = await call("POST", "/team/member_delete", owner.managing, {
    team_id: owner.teamId,
    user_email: mate.email,
  });
  expect(gone.body.members_with_roles).toHaveLength(1);
  expect(await scene.audited("member.removed", String(mate.userId))).toHaveLength(1);
});
