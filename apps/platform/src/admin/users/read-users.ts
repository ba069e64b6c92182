import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { PathId } from "@tollgate/contracts/management/fields.ts";
import { listOf, toList } from "@tollgate/contracts/management/lists.ts";
import { usdOf } from "@tollgate/contracts/management/money.ts";
import { ListedUser, UserDetails, UserListQuery } from "@tollgate/contracts/management/user.ts";
import {
  findUser,
  listUsers,
  readUserBelongings,
  type UserEntry,
  type UserStatus,
} from "@tollgate/db/users/list-users.ts";
import Type from "typebox";
import { operation, read } from "../../operation.ts";
import { readUserId } from "./read-user-id.ts";

export const listUsersOperation = operation({
  ...read,
  id: "listUsers",
  summary: "List users; deleted users only on request",
  tag: "admin",
  path: "/api/admin/users",
  auth: "administrator",
  scope: "administrator",
  query: UserListQuery,
  answers: { 200: { description: "One page of users", schema: listOf(ListedUser) } },
  async handle({ query }, transaction) {
    const { page, pageSize, search, role, status, sort } = query;
    const { users, total } = await listUsers(transaction, {
      search: search ?? null,
      role: role ?? null,
      statuses: wantedStatuses(status),
      sort,
      limit: pageSize,
      offset: (page - 1) * pageSize,
    });
    return { status: 200, body: toList(users.map(withUsdOf), query, total) };
  },
});

export const getUserOperation = operation({
  ...read,
  id: "getUser",
  summary: "Get a user with their organizations and number of keys",
  tag: "admin",
  path: "/api/admin/users/{id}",
  auth: "administrator",
  scope: "administrator",
  params: Type.Object({ id: PathId }),
  answers: { 200: { description: "The user", schema: UserDetails } },
  async handle({ params }, transaction) {
    const user = await findUser(transaction, readUserId(params.id));
    if (user === null) throw unknownObject("user");
    const { organizations, keyCount } = await readUserBelongings(transaction, user.id);
    return {
      status: 200,
      body: {
        user,
        organizations: organizations.map((each) => ({ ...each, usd: usdOf({ balance: each.balance }) })),
        keyCount,
        lastLoginAt: user.lastLoginAt,
      },
    };
  },
});

const withUsdOf = (user: UserEntry) => ({ ...user, usd: usdOf({ spent: user.spent }) });

function wantedStatuses(status: UserStatus | "all" | undefined): readonly UserStatus[] {
  if (status === undefined) return ["active", "disabled"];
  return status === "all" ? ["active", "disabled", "deleted"] : [status];
}
