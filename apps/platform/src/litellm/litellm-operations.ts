import { blockKey, deleteKeys, generateKey, regenerateKey, unblockKey, updateKey } from "./key-changes.ts";
import { keyInfo, keyList } from "./key-reads.ts";
import type { LitellmOperation, LitellmServices, MountedOperation } from "./litellm-operation.ts";
import { deleteModel, newModel, updateModel } from "./model-changes.ts";
import { spendLogs, spendReport, teamActivity, userActivity } from "./spend-reads.ts";
import {
  addTeamMembers,
  blockTeam,
  deleteTeamMember,
  deleteTeams,
  newTeam,
  unblockTeam,
  updateTeam,
  updateTeamMember,
} from "./team-changes.ts";
import { teamInfo, teamList } from "./team-reads.ts";

/**
 * Returns every operation on keys, teams, spend, and database models, in the order of the API reference, for a gateway to
 * serve.
 */
export function litellmOperations(services: LitellmServices): readonly MountedOperation[] {
  return operations.map((operation) => ({
    ...operation,
    handle: (input, gateway) => operation.handle(input, { ...gateway, services }),
  }));
}

const operations: readonly LitellmOperation[] = [
  generateKey,
  updateKey,
  deleteKeys,
  blockKey,
  unblockKey,
  regenerateKey,
  keyInfo,
  keyList,
  newTeam,
  updateTeam,
  deleteTeams,
  blockTeam,
  unblockTeam,
  addTeamMembers,
  updateTeamMember,
  deleteTeamMember,
  teamInfo,
  teamList,
  spendLogs,
  spendReport,
  userActivity,
  teamActivity,
  newModel,
  updateModel,
  deleteModel,
];
