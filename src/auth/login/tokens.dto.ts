import { ApiProperty } from '@nestjs/swagger';

/** Not in the form of real tokens, so that nothing in the document can be mistaken for one. */
export class TokensDto {
  @ApiProperty({
    example: 'eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCJ9.e30.c2lnbmF0dXJl',
    description: 'Access token: `Authorization: Bearer <token>`',
  })
  token: string;

  @ApiProperty({
    example: 'eyJhbGciOiJIUzI1NiIsInR5cCI6InJ0K2p3dCJ9.e30.c2lnbmF0dXJl',
    description: 'Gets the next pair of tokens; works once',
  })
  refresh_token: string;

  @ApiProperty({ type: 'integer', example: 3600, description: 'Lifetime of the access token in seconds' })
  expires_in: number;
}
