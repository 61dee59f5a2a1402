import { type AccountClient, AccountError, createAccountClient, type ErrorCode } from '../client/index.js';

/** Compiled strictly against the package: what its types promise. */
export async function journey(url: string, apiKey: string, login: string, password: string): Promise<string[]> {
  const api: AccountClient = createAccountClient({ baseUrl: url, apiKey });
  const { user } = await api.login({ login, password });
  const username: string = user.username;
  const profile = await api.getProfile();
  const deletedAt: string | null = profile.deleted_at;
  const { content, pagination } = await api.listLoginHistory({ limit: 5 });
  const total: number = pagination.total;
  const codes: ErrorCode[] = [];
  for (const refused of [
    () => api.endSession({ id: '0123456789abcdef01234567' }),
    () => api.changeUser({ id: user._id, role: null }),
    () => api.rotateApiKey({ id: user._id, overlap_seconds: 5 }),
  ]) {
    try {
      await refused();
    } catch (error) {
      if (error instanceof AccountError && error.code !== 'unknown') codes.push(error.code);
    }
  }
  // @ts-expect-error a path parameter is missing
  await api.getUser({}).catch(() => undefined);
  await api.changeProfile({ first_name: 'Ada' });
  // @ts-expect-error a field of another type
  await api.changeProfile({ first_name: 5 }).catch(() => undefined);
  // @ts-expect-error there is no such field
  await api.changeProfile({ nickname: 'Ada' }).catch(() => undefined);
  // @ts-expect-error tokens are the client's own affair
  void api.refreshToken;
  const nothing: void = await api.logout();
  return [username, String(deletedAt), String(content.length), String(total), ...codes, String(nothing)];
}
