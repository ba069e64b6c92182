import type { ManagementOperation } from "../../operation.ts";
import { deleteUserOperation } from "./delete-user.ts";
import { getUserOperation, listUsersOperation } from "./read-users.ts";
import { updateUserOperation } from "./update-user.ts";

export const adminUserOperations: readonly ManagementOperation[] = [
  listUsersOperation,
  getUserOperation,
  updateUserOperation,
  deleteUserOperation,
];
