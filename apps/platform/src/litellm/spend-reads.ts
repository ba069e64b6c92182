import { managementFailures, managementReadRules } from "@tollgate/contracts/administration/management-rules.ts";
import {
  DailyActivity,
  SpendLogs,
  SpendLogsQuery,
  SpendReport,
  SpendReportQuery,
  TeamActivityQuery,
  UserActivityQuery,
} from "@tollgate/contracts/administration/spend-reports.ts";
import { describeActivity } from "./describe-activity.ts";
import { describeCall, describeReport } from "./describe-spend.ts";
import { answerJson, type LitellmOperation, managerOf, runReportFor } from "./litellm-operation.ts";
import { pageHeaders } from "./page-headers.ts";
import { invalid } from "./read-fields.ts";
import { listSpend, sumSpend } from "./report-spend.ts";
import { readSpendFilter } from "./spend-range.ts";

const DEFAULT_SIZE = 100;
const DEFAULT_DAYS = 50;

/** Lists calls, newest first. */
export const spendLogs: LitellmOperation<SpendLogsQuery> = {
  ...managementReadRules,
  id: "listSpendLogs",
  summary: "List requests and their costs",
  paths: ["/spend/logs"],
  query: SpendLogsQuery,
  answers: {
    200: { description: "A page of requests, newest first. Headers contain the total count.", schema: SpendLogs },
    ...managementFailures,
  },

  async handle(input, context) {
    const { query } = input;
    const page = { page: query.page ?? 1, pageSize: query.page_size ?? DEFAULT_SIZE };
    const filter = {
      ...readSpendFilter(query, new Date(context.wallClock())),
      requestId: query.request_id ?? null,
    };
    const { items, total } = await runReportFor(input, context, (acting) => listSpend(acting, filter, page));
    return pageHeaders(answerJson(items.map(describeCall)), page, total);
  },
};

/** Reports spend by day, and by team or key. */
export const spendReport: LitellmOperation<SpendReportQuery> = {
  ...managementReadRules,
  id: "reportSpend",
  summary: "Report daily spend by team or key",
  paths: ["/global/spend/report"],
  query: SpendReportQuery,
  answers: { 200: { description: "One entry per day with requests.", schema: SpendReport }, ...managementFailures },

  async handle(input, context) {
    const { query } = input;
    const filter = readSpendFilter(query, new Date(context.wallClock()));
    const { days, names } = await runReportFor(input, context, (acting) => sumSpend(acting, filter));
    return answerJson(describeReport(days, names, query.group_by ?? "team"));
  },
};

/** Reports the daily usage of a user's keys. */
export const userActivity: LitellmOperation<UserActivityQuery> = {
  ...managementReadRules,
  id: "getUserActivity",
  summary: "Report daily usage of a user's keys",
  paths: ["/user/daily/activity"],
  query: UserActivityQuery,
  answers: {
    200: { description: "A page of days, newest first.", schema: DailyActivity },
    ...managementFailures,
  },

  async handle(input, context) {
    const { query } = input;
    const filter = readSpendFilter(query, new Date(context.wallClock()));
    const userId = filter.userId ?? managerOf(input.caller, input.callId).userId;
    const { days, names } = await runReportFor(input, context, (acting) => sumSpend(acting, { ...filter, userId }));
    return answerJson(describeActivity(days, names, pageOf(query)));
  },
};

/** Reports the daily usage of teams. */
export const teamActivity: LitellmOperation<TeamActivityQuery> = {
  ...managementReadRules,
  id: "getTeamActivity",
  summary: "Report daily usage by team",
  paths: ["/team/daily/activity"],
  query: TeamActivityQuery,
  answers: {
    200: { description: "A page of days, newest first.", schema: DailyActivity },
    ...managementFailures,
  },

  async handle(input, context) {
    const { query } = input;
    const teamIds = typeof query.team_ids === "string" ? query.team_ids.split(",").map((id) => id.trim()) : null;
    if (teamIds !== null && teamIds.length > 100) throw invalid("team_ids", "can contain at most 100 teams.");
    const filter = { ...readSpendFilter(query, new Date(context.wallClock())), teamIds };
    const { days, names } = await runReportFor(input, context, (acting) => sumSpend(acting, filter));
    return answerJson(describeActivity(days, names, pageOf(query)));
  },
};

function pageOf({ page = 1, page_size: pageSize = DEFAULT_DAYS }: { page?: number; page_size?: number }) {
  return { page, pageSize };
}
