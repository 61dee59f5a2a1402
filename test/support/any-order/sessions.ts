import { expect } from 'vitest';
import type { ApiResponse } from '../api-client.js';
import { type Choices, command, expectRefusal, fromEnd, hasSession, newPassword } from './command.js';
import type { AccountModel, ModelSession, ModelToken } from './model.js';

/** A request of a session, by one of its tokens. @returns null if it was refused, as it had to be */
async function bySession(
  model: AccountModel,
  { which, other }: Choices,
  request: (session: ModelSession, token: ModelToken) => Promise<ApiResponse>,
): Promise<{ session: ModelSession; answer: ApiResponse } | null> {
  const session = fromEnd(model.sessions, which);
  const token = fromEnd(session.accessTokens, other);
  const refusal = model.accessRefusal(session, token);
  const answer = await request(session, token);
  if (!refusal) return { session, answer };
  expectRefusal(answer, 401, refusal);
  return null;
}

export const refresh = command('refresh', ({ at, which, other }) => ({
  isPossible: hasSession,
  async run(model, world) {
    const session = fromEnd(model.sessions, which);
    const generation = Math.max(session.refreshTokens.length - 1 - other, 0);
    const refresh_token = session.refreshTokens[generation]?.text;
    const answer = await world.client(at).post('/auth/refresh-token', { refresh_token });
    const outcome = model.refreshOutcome(session, generation);
    if ('refusal' in outcome) {
      expectRefusal(answer, 401, outcome.refusal);
      if (outcome.refusal === 'refresh_token_reused') model.end(outcome.refusal, [session]);
      return;
    }
    expect(answer.status).toBe(200);
    const { token, refresh_token: successor, expires_in } = answer.body.data;
    expect(expires_in).toBe(model.expiresIn(session));
    if (outcome.next === 'rotated') return model.rotate(session, token as string, successor as string);
    expect(successor).toBe(session.refreshTokens.at(-1)?.text);
    model.addAccessToken(session, token as string);
  },
}));

export const logout = command('logout', (chosen) => ({
  isPossible: hasSession,
  async run(model, world) {
    const { at, other, isAll: all_sessions } = chosen;
    const done = await bySession(model, chosen, (session, token) => {
      const refresh_token = fromEnd(session.refreshTokens, other).text;
      return world.client(at).post('/auth/logout', { refresh_token, all_sessions }, { bearer: token.text });
    });
    if (!done) return;
    expect(done.answer.status).toBe(200);
    model.end('logged_out', all_sessions ? undefined : [done.session]);
  },
}));

export const reportLogin = command('its not me', (chosen) => ({
  isPossible: hasSession,
  async run(model, world) {
    const done = await bySession(model, chosen, (session, token) => {
      const refresh_token = fromEnd(session.refreshTokens, chosen.other).text;
      return world.client(chosen.at).post('/auth/its-not-me', { refresh_token }, { bearer: token.text });
    });
    if (!done) return;
    expect(done.answer.status).toBe(200);
    model.end('reported_not_me');
    model.isResetRequired = true;
    model.reportedLogins += 1;
    model.reset.issued(await world.mailed(model, 'security-alert', model.reportedLogins));
  },
}));

export const changePassword = command('change password', (chosen) => ({
  isPossible: hasSession,
  async run(model, world) {
    const password = newPassword();
    const current_password = chosen.isRight ? model.passwords.at(-1) : 'Wrong-pass1';
    const done = await bySession(model, chosen, (_session, token) => {
      const body = { current_password, password, password_confirmation: password };
      return world.client(chosen.at).post('/api/profile/password', body, { bearer: token.text });
    });
    if (!done) return;
    expect(done.answer.status).toBe(chosen.isRight ? 200 : 422);
    if (!chosen.isRight) return;
    model.changePassword(password);
    model.end(
      'password_changed',
      model.sessions.filter((session) => session !== done.session),
    );
  },
}));

export const changeNames = command('change names', (chosen) => ({
  isPossible: hasSession,
  async run(model, world) {
    const names = { first_name: `Ada ${newPassword()}`, ...(chosen.isAll ? { username: `${model.name}_2` } : {}) };
    const done = await bySession(model, chosen, (_session, token) =>
      world.client(chosen.at).patch('/api/profile', names, { bearer: token.text }),
    );
    if (!done) return;
    expect(done.answer.status).toBe(200);
    model.firstName = names.first_name;
    model.username = names.username ?? model.username;
  },
}));

export const endOwnSession = command('end a session of one’s own', (chosen) => ({
  isPossible: hasSession,
  async run(model, world) {
    const ended = fromEnd(model.sessions, chosen.isAll ? 0 : 1);
    const done = await bySession(model, chosen, (_session, token) =>
      world.client(chosen.at).delete(`/api/login-history/${ended.id}`, { bearer: token.text }),
    );
    if (!done) return;
    expect(done.answer.status).toBe(ended.end ? 404 : 200);
    model.end('session_revoked', [ended]);
  },
}));
