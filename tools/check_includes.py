#!/usr/bin/env python3
"""Checks that a file of src includes the header of each name of the standard library, fmt and LibTorch that it uses.

The compiler does not see it: precompiled headers (cmake/precompiled) give every file the commonest of these. A file
includes the header itself, or one of our own headers that it includes does, or theirs. Where a header of ours is the
first include of a .cpp, the compiler sees the rest of what it needs; tools/check_headers.py compiles the others alone.
Prints each violation as file:line: sentence.
"""
import argparse
import pathlib
import re
import sys

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.MULTILINE)
# A comment, which is skipped, or a name.
USE = re.compile(r"//[^\n]*|/\*.*?\*/|\b(std::ranges::|std::|fmt::|torch::)(\w+)|\b(u?int(?:8|16|32|64)_t)\b", re.DOTALL)
SUFFIXES = {".hpp", ".h", ".cpp"}

# Header -> the names that it declares. A name of several headers may come from each.
NAMES = {
    "algorithm": """adjacent_find all_of any_of binary_search clamp copy copy_backward copy_if copy_n count count_if equal
        equal_range fill fill_n find find_end find_first_of find_if find_if_not for_each for_each_n generate generate_n includes
        inplace_merge is_heap is_partitioned is_permutation is_sorted is_sorted_until iter_swap lexicographical_compare
        lower_bound make_heap max max_element merge min min_element minmax minmax_element mismatch move_backward
        next_permutation none_of nth_element partial_sort partial_sort_copy partition partition_copy partition_point pop_heap
        prev_permutation push_heap remove remove_copy remove_copy_if remove_if replace replace_copy replace_if reverse
        reverse_copy rotate rotate_copy sample search set_difference set_intersection set_symmetric_difference set_union
        shift_left shift_right shuffle sort sort_heap stable_partition stable_sort swap_ranges transform unique unique_copy
        upper_bound""",
    "any": "any any_cast bad_any_cast",
    "array": "array to_array",
    "atomic": """atomic atomic_bool atomic_fetch_add atomic_flag atomic_int atomic_ref atomic_signal_fence atomic_size_t
        atomic_thread_fence memory_order memory_order_acq_rel memory_order_acquire memory_order_relaxed memory_order_release
        memory_order_seq_cst""",
    "barrier": "barrier",
    "bit": "bit_cast bit_ceil bit_floor bit_width countl_one countl_zero countr_one countr_zero endian has_single_bit popcount rotl rotr",
    "bitset": "bitset",
    "cctype": """isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit tolower
        toupper""",
    "cerrno": "",
    "cfenv": "feclearexcept fegetround fesetround fetestexcept feholdexcept fesetenv feenableexcept",
    "charconv": "chars_format from_chars from_chars_result to_chars to_chars_result",
    "chrono": "chrono chrono_literals",
    "cmath": """acos acosh asin asinh atan atan2 atanh beta cbrt ceil comp_ellint_1 comp_ellint_2 copysign cos cosh
        cyl_bessel_i cyl_bessel_j cyl_bessel_k cyl_neumann erf erfc exp exp2 expint expm1 fabs fdim floor fma fmax fmin fmod
        fpclassify frexp hermite hypot ilogb isfinite isgreater isinf isless islessequal isnan isnormal isunordered laguerre
        ldexp legendre lerp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter
        nexttoward pow remainder remquo riemann_zeta rint round scalbln scalbn signbit sin sinh sph_bessel sqrt tan tanh
        tgamma trunc""",
    "codecvt": "",
    "compare": """compare_three_way is_eq is_gt is_gteq is_lt is_lteq is_neq partial_ordering strong_order strong_ordering
        weak_ordering""",
    "complex": "arg complex conj imag norm polar proj real",
    "concepts": """assignable_from common_reference_with common_with constructible_from convertible_to copy_constructible
        copyable default_initializable derived_from destructible equality_comparable equivalence_relation floating_point
        integral invocable movable move_constructible predicate regular regular_invocable relation same_as semiregular
        signed_integral strict_weak_order swappable totally_ordered unsigned_integral""",
    "condition_variable": "condition_variable condition_variable_any cv_status notify_all_at_thread_exit",
    "csignal": "raise sig_atomic_t signal",
    "cstdarg": "va_list",
    "cstddef": "byte max_align_t nullptr_t ptrdiff_t size_t",
    "cstdint": """int16_t int32_t int64_t int8_t int_fast16_t int_fast32_t int_fast64_t int_fast8_t int_least16_t
        int_least32_t int_least64_t int_least8_t intmax_t intptr_t uint16_t uint32_t uint64_t uint8_t uint_fast16_t
        uint_fast32_t uint_fast64_t uint_fast8_t uint_least16_t uint_least32_t uint_least64_t uint_least8_t uintmax_t
        uintptr_t""",
    "cstdio": """FILE clearerr fclose feof ferror fflush fgetc fgetpos fgets fopen fpos_t fprintf fputc fputs fread freopen
        fscanf fseek fsetpos ftell fwrite getc getchar perror printf putc putchar puts remove rename rewind scanf setbuf
        setvbuf snprintf sprintf sscanf tmpfile tmpnam ungetc vfprintf vprintf vsnprintf vsprintf""",
    "cstdlib": """_Exit abort aligned_alloc at_quick_exit atexit atof atoi atol atoll bsearch calloc div div_t exit free
        getenv labs ldiv llabs malloc mblen qsort quick_exit rand realloc srand strtod strtof strtol strtold strtoll strtoul
        strtoull system""",
    "cstring": """memchr memcmp memcpy memmove memset strcat strchr strcmp strcoll strcpy strcspn strerror strlen strncat
        strncmp strncpy strpbrk strrchr strspn strstr strtok""",
    "ctime": "clock clock_t difftime gmtime localtime mktime strftime time time_t timespec timespec_get tm",
    "deque": "deque",
    "exception": """current_exception exception exception_ptr get_terminate make_exception_ptr nested_exception
        rethrow_exception rethrow_if_nested set_terminate terminate throw_with_nested uncaught_exceptions""",
    "execution": "execution",
    "filesystem": "filesystem",
    "forward_list": "forward_list",
    "fstream": "basic_filebuf filebuf fstream ifstream ofstream",
    "functional": """bad_function_call bind bind_front bit_and bit_not bit_or bit_xor boyer_moore_searcher cref
        default_searcher divides equal_to function greater greater_equal identity invoke invoke_r less less_equal logical_and
        logical_not logical_or mem_fn minus modulus multiplies negate not_equal_to not_fn plus ref reference_wrapper""",
    "future": "async future future_error future_status launch packaged_task promise shared_future",
    "initializer_list": "initializer_list",
    "iomanip": "get_time put_time quoted setbase setfill setprecision setw",
    "ios": """basic_ios boolalpha dec defaultfloat fixed hex hexfloat ios ios_base iostream_category noboolalpha noshowpoint
        noskipws oct scientific showpoint showpos skipws streamoff streampos streamsize""",
    "iostream": "cerr cin clog cout",
    "istream": "basic_istream iostream istream ws",
    "iterator": """advance back_insert_iterator back_inserter begin bidirectional_iterator bidirectional_iterator_tag cbegin
        cend contiguous_iterator contiguous_iterator_tag counted_iterator crbegin crend data default_sentinel
        default_sentinel_t distance empty end forward_iterator forward_iterator_tag front_inserter incrementable_traits
        indirectly_readable input_iterator input_iterator_tag input_or_output_iterator insert_iterator inserter
        istream_iterator istreambuf_iterator iter_difference_t iter_reference_t iter_rvalue_reference_t iter_value_t
        iterator_traits make_move_iterator make_reverse_iterator move_iterator next ostream_iterator ostreambuf_iterator
        output_iterator output_iterator_tag prev random_access_iterator random_access_iterator_tag rbegin rend
        reverse_iterator sentinel_for size sized_sentinel_for ssize""",
    "latch": "latch",
    "limits": "numeric_limits",
    "list": "list",
    "locale": "locale",
    "map": "map multimap",
    "memory": """addressof align allocate_shared allocator allocator_traits assume_aligned bad_weak_ptr const_pointer_cast
        construct_at default_delete destroy destroy_at destroy_n dynamic_pointer_cast enable_shared_from_this make_shared
        make_unique make_unique_for_overwrite owner_less pointer_traits reinterpret_pointer_cast shared_ptr
        static_pointer_cast to_address uninitialized_copy uninitialized_fill unique_ptr weak_ptr""",
    "memory_resource": "pmr",
    "mutex": """adopt_lock adopt_lock_t call_once defer_lock defer_lock_t lock lock_guard mutex once_flag recursive_mutex
        scoped_lock timed_mutex try_lock try_to_lock try_to_lock_t unique_lock""",
    "new": "align_val_t bad_alloc bad_array_new_length get_new_handler hardware_destructive_interference_size launder new_handler nothrow set_new_handler",
    "numbers": "numbers",
    "numeric": """accumulate adjacent_difference exclusive_scan gcd inclusive_scan inner_product iota lcm midpoint
        partial_sum reduce transform_reduce""",
    "optional": "bad_optional_access make_optional nullopt nullopt_t optional",
    "ostream": "basic_ostream endl flush ostream",
    "queue": "priority_queue queue",
    "random": """bernoulli_distribution binomial_distribution cauchy_distribution default_random_engine discrete_distribution
        exponential_distribution gamma_distribution generate_canonical lognormal_distribution mt19937 mt19937_64
        normal_distribution poisson_distribution random_device seed_seq student_t_distribution uniform_int_distribution
        uniform_random_bit_generator uniform_real_distribution""",
    "ranges": "views",
    "ratio": "micro milli nano ratio",
    "regex": "cmatch regex regex_error regex_match regex_replace regex_search smatch sregex_iterator",
    "semaphore": "binary_semaphore counting_semaphore",
    "set": "multiset set",
    "shared_mutex": "shared_lock shared_mutex shared_timed_mutex",
    "source_location": "source_location",
    "span": "as_bytes as_writable_bytes dynamic_extent span",
    "sstream": "basic_stringbuf istringstream ostringstream stringbuf stringstream",
    "stack": "stack",
    "stdexcept": """domain_error invalid_argument length_error logic_error out_of_range overflow_error range_error
        runtime_error underflow_error""",
    "stop_token": "stop_callback stop_source stop_token",
    "streambuf": "basic_streambuf streambuf",
    "string": """basic_string char_traits getline literals stod stof stoi stol stold stoll stoul stoull string string_literals
        to_string to_wstring u16string u32string u8string wstring""",
    "string_view": "basic_string_view string_view string_view_literals u8string_view wstring_view",
    "system_error": "errc error_category error_code error_condition generic_category make_error_code system_category system_error",
    "thread": "jthread this_thread thread",
    "tuple": "apply forward_as_tuple ignore make_from_tuple make_tuple tie tuple tuple_cat",
    "type_traits": """add_const_t add_lvalue_reference_t add_pointer_t add_rvalue_reference_t aligned_storage_t alignment_of
        bool_constant common_reference_t common_type common_type_t conditional conditional_t conjunction conjunction_v
        decay decay_t disjunction disjunction_v enable_if enable_if_t extent_v false_type has_virtual_destructor_v
        integral_constant invoke_result invoke_result_t is_abstract_v is_arithmetic is_arithmetic_v is_array_v is_assignable_v
        is_base_of is_base_of_v is_class_v is_const_v is_constant_evaluated is_constructible is_constructible_v
        is_convertible is_convertible_v is_copy_assignable_v is_copy_constructible_v is_default_constructible_v
        is_destructible_v is_empty_v is_enum_v is_final_v is_floating_point is_floating_point_v is_function_v is_integral
        is_integral_v is_invocable is_invocable_r_v is_invocable_v is_lvalue_reference_v is_move_constructible_v
        is_nothrow_move_assignable_v is_nothrow_move_constructible_v is_null_pointer_v is_object_v is_pointer_v
        is_polymorphic_v is_reference_v is_rvalue_reference_v is_same is_same_v is_signed_v is_standard_layout_v is_trivial_v
        is_trivially_copyable_v is_trivially_default_constructible_v is_trivially_destructible_v is_unsigned_v is_void is_void_v
        make_signed_t make_unsigned make_unsigned_t negation negation_v rank_v remove_const_t remove_cv_t remove_cvref
        remove_cvref_t remove_pointer_t remove_reference remove_reference_t true_type type_identity type_identity_t
        underlying_type underlying_type_t void_t""",
    "typeindex": "type_index",
    "typeinfo": "bad_cast bad_typeid type_info",
    "unordered_map": "unordered_map unordered_multimap",
    "unordered_set": "unordered_multiset unordered_set",
    "utility": """as_const cmp_equal cmp_greater cmp_greater_equal cmp_less cmp_less_equal cmp_not_equal declval exchange
        forward in_place in_place_index in_place_index_t in_place_t in_place_type in_place_type_t in_range index_sequence
        index_sequence_for integer_sequence make_index_sequence make_integer_sequence make_pair move move_if_noexcept pair
        piecewise_construct piecewise_construct_t swap to_underlying""",
    "valarray": "valarray",
    "variant": """bad_variant_access get get_if holds_alternative monostate variant variant_alternative_t variant_npos
        variant_size variant_size_v visit""",
    "vector": "vector",
}
# Names of several headers, beside those above.
ALSO = {
    "abs": "cmath cstdlib complex",
    "get": "array tuple utility variant",
    "hash": "functional memory optional string string_view thread typeindex variant",
    "move": "algorithm",
    "errc": "charconv",
    "erase": "deque list map set string unordered_map unordered_set vector",
    "erase_if": "deque list map set string unordered_map unordered_set vector",
    "error_code": "filesystem",
    "swap": "algorithm",
    "tuple_size": "tuple array utility",
    "tuple_size_v": "tuple array utility",
    "tuple_element": "tuple array utility",
    "tuple_element_t": "tuple array utility",
    "literals": "string_view chrono complex",
    "size_t": "cstdio cstdlib cstring ctime array deque map set span string string_view unordered_map unordered_set vector",
    "ptrdiff_t": "array deque map set span string string_view unordered_map unordered_set vector",
    "exception": "stdexcept",
    "initializer_list": "deque map set string unordered_map unordered_set vector utility",
}
# What every container and view declares as well: std::begin, std::size and their like.
ITERATION = "begin cbegin cend crbegin crend data empty end rbegin rend size ssize".split()
CONTAINERS = "array deque forward_list list map regex set span string string_view unordered_map unordered_set vector".split()
# What is made of pairs and moves brings them, in every implementation.
PAIRS_AND_MOVES = "forward make_pair move pair".split()
MADE_OF_THEM = "deque functional list map memory optional set string tuple unordered_map unordered_set variant vector".split()
MATHEMATICS = "acos acosh asin asinh atan atanh cos cosh exp log log10 pow sin sinh sqrt tan tanh".split()  # of complex numbers
# Header -> others whose names it must bring, by the standard or because it is made of them.
BRINGS = {"iostream": ["ios", "istream", "ostream", "streambuf"], "istream": ["ios", "ostream", "streambuf"],
          "ostream": ["ios", "streambuf"], "fstream": ["ios", "istream", "ostream", "streambuf"],
          "sstream": ["ios", "istream", "ostream", "streambuf", "string"], "random": ["concepts"],
          "torch/types.h": ["cstdint"], "stdint.h": ["cstdint"], "stddef.h": ["cstddef"], "math.h": ["cmath"], "string.h": ["cstring"]}


def declaring_headers():
    """Name in std -> headers of which a file needs one."""
    headers = {}
    for header, names in NAMES.items():
        for name in names.split():
            headers.setdefault(name, set()).add(header)
    for name, more in ALSO.items():
        headers.setdefault(name, set()).update(more.split())
    for name in ITERATION:
        headers[name].update(CONTAINERS)
    for name in PAIRS_AND_MOVES:
        headers[name].update(MADE_OF_THEM)
    for name in MATHEMATICS:
        headers[name].add("complex")
    return headers


def outside_prefix(namespace):
    """How the headers of a library other than std begin."""
    return {"fmt::": ("fmt/",), "torch::": ("torch/", "ATen/", "c10/")}[namespace]


class Sources:
    """The files of src, and what each includes through ours."""

    def __init__(self, src):
        self.src = src
        self.texts = {path.relative_to(src).as_posix(): path.read_text(encoding="utf-8", errors="replace")
                      for path in sorted(src.rglob("*")) if path.suffix in SUFFIXES}
        self.direct = {name: INCLUDE.findall(text) for name, text in self.texts.items()}

    def included(self, file):
        """All that a file includes itself or through our own headers."""
        seen, waiting = set(), list(self.direct[file])
        while waiting:
            current = waiting.pop()
            if current not in seen:
                seen.add(current)
                waiting.extend(self.direct.get(current, BRINGS.get(current, ())))
        return seen


def missing(namespace, name, included, headers):
    """The sentence about a name that none of the included headers declares, or None."""
    if namespace == "std::ranges::":
        return None if included & {"algorithm", "ranges", "functional", "iterator"} else "algorithm"
    if namespace == "std::":
        if name not in headers:
            return "?"
        return None if included & headers[name] else " or ".join(f"<{header}>" for header in sorted(headers[name]))
    prefixes = outside_prefix(namespace)
    return None if any(path.startswith(prefixes) for path in included) else f"<{prefixes[0]}...>"


def check_file(file, sources, headers):
    """Violations of one file as (line, sentence), one for each name."""
    text, included, seen = sources.texts[file], sources.included(file), set()
    for match in USE.finditer(text):
        namespace, name = ("std::", match[3]) if match[3] else (match[1], match[2])
        if namespace is None or (namespace, name) in seen:
            continue
        seen.add((namespace, name))
        header = missing(namespace, name, included, headers)
        if header == "?":
            sentence = f"{namespace}{name} is not in the table of tools/check_includes.py; add it to its header's line"
        elif header:
            sentence = f"uses {namespace}{name}; include {header}"
        else:
            continue
        yield text.count("\n", 0, match.start()) + 1, sentence


def check_tree(root):
    """Violations of the repository at `root` as printable lines."""
    sources, headers = Sources(root / "src"), declaring_headers()
    return [f"src/{file}:{line}: {sentence}" for file in sources.texts
            for line, sentence in check_file(file, sources, headers)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).parents[1])
    violations = check_tree(parser.parse_args().root)
    for violation in violations:
        print(violation)
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
