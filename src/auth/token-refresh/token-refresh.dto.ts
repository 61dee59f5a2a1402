import { IsOpaqueText } from '../../common/validation/index.js';

export class RefreshTokenDto {
  @IsOpaqueText({
    maxLength: 4096,
    example: 'eyJhbGciOiJIUzI1NiIsInR5cCI6InJ0K2p3dCJ9.e30.c2lnbmF0dXJl',
    description: 'The refresh token of the session',
  })
  refresh_token: string;
}
