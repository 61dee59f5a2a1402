import { ApiProperty } from '@nestjs/swagger';
import { IsString, MaxLength, MinLength } from 'class-validator';
import { IsPlainText } from '../../common/validation/index.js';
import { UserDto } from '../../users/index.js';
import { TokensDto } from './tokens.dto.js';

export class LoginDto {
  @ApiProperty({ maxLength: 254, example: 'ada_lovelace', description: 'Username or e-mail address, in any case' })
  @MaxLength(254, { message: 'login must be at most 254 characters long' })
  @MinLength(1, { message: 'login must not be empty' })
  @IsPlainText()
  login: string;

  @ApiProperty({ maxLength: 1024, format: 'password', example: 'Correct-Horse7!' })
  @MaxLength(1024, { message: 'password must be at most 1024 characters long' })
  @MinLength(1, { message: 'password must not be empty' })
  @IsString({ message: 'password must be a string' })
  password: string;
}

export class LoggedInDto extends TokensDto {
  @ApiProperty()
  user: UserDto;
}
